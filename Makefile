# The targets a person needs: build, man, test, demo, bench, generate, release.
# HANDRAIL_CORPUS and HANDRAIL_CHECKS name the folders of the corpus of real
# pages and of the independent checks; what needs them is skipped without.

# One set of flags, so that what is compiled for one step serves the next.
export GOFLAGS += -trimpath

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: build man test lint unit js fuzz widgets e2e chaos demo bench generate score release clean

build:
	go build -o bin/handrail ./host/cmd/handrail

man: build
	bin/handrail man bin/man

test: build lint unit js fuzz e2e

lint: node_modules
	test -z "$$(gofmt -l .ci compressor host manifest recovery | tee /dev/stderr)"
	go vet ./... && go vet -tags e2e ./host/e2e
	go run $(STATICCHECK) -tags e2e ./...
	shellcheck install.sh release.sh .ci/run
	npm run --silent typecheck

# The race detector takes ten times as long over what has no two goroutines: the
# compressor, and the command line, whose tests run programs.
unit:
	go test -race $$(go list ./... | grep -v -e /compressor -e '/cli$$')
	go test ./compressor/... ./host/cli

js: node_modules
	npm test --silent

# Counts, not seconds: go test can take the end of its own time for a failure.
fuzz:
	go test -run '^$$' -fuzz '^FuzzFrame$$' -fuzztime 500000x ./host/wire
	go test -run '^$$' -fuzz '^FuzzView$$' -fuzztime 10000x ./compressor
	go test -run '^$$' -fuzz '^FuzzCount$$' -fuzztime 20000x ./compressor/tokens

# Pages of real libraries' widgets, bundled for the end-to-end tests alone.
widgets: node_modules
	npm run --silent widgets

# The end-to-end tests drive a real headless Chromium through the real extension.
e2e: build widgets
	go test -tags e2e -count 1 -timeout 22m ./host/e2e

# The random tests at their full length: 500 kills, 300 pages, 10,000 interleavings.
chaos: build node_modules
	HANDRAIL_CHAOS=500 go test -tags e2e -count 1 -timeout 60m -v -run '^(TestKilledWhileActing|TestMutatingPages)$$' ./host/e2e
	HANDRAIL_CHAOS=500 node --test extension/test/once.test.js

demo: build
	bin/handrail demo

bench:
	go test -run '^$$' -bench . -benchmem ./compressor/... ./recovery

# Tokens, controls and words kept per profile, over the corpus.
score: build
	node $(HANDRAIL_CHECKS)/score.mjs --bin bin/handrail

release:
	./release.sh

generate:
	go generate ./...

node_modules: package.json package-lock.json
	npm ci --ignore-scripts --no-audit --no-fund --silent
	touch node_modules

clean:
	rm -rf bin dist node_modules
