// Command handrail is host, command line, keeper and installer in one binary:
// Chrome starts it with its extension's origin as the first argument.
package main

import (
	"context"
	"os"
	"strings"

	"handrail/host/cli"
	"handrail/host/exchange"
)

func main() {
	args := os.Args[1:]
	if len(args) > 0 && strings.HasPrefix(args[0], "chrome-extension://") {
		os.Exit(exchange.Run(context.Background(), args, os.Stdin, os.Stdout))
	}
	os.Exit(cli.Main(args, os.Stdin, os.Stdout, os.Stderr))
}
