// Package wire is the one source of truth of Handrail's protocol: frames,
// JSON-RPC 2.0 messages, methods with their parameters and results, error
// codes and limits. Everything that crosses a process border is spelt here;
// extension/src/wire.js and the tables of docs/PROTOCOL.md are generated from
// it by go generate.
//
// The package imports nothing else of Handrail's, does no I/O of its own but on
// the readers and writers it is given, and never keeps a message.
package wire

//go:generate go run ./gen
