# What people who work on Glovebox type. CONTRIBUTING.md says more.
.PHONY: build test test-all race lint fuzz ci ci-full dist

build:
	CGO_ENABLED=0 go build -o glovebox ./cmd/glovebox

test:
	CGO_ENABLED=0 go test ./...

# Everything, not a sample: an hour or more.
test-all:
	GLOVEBOX_SAMPLE=all GLOVEBOX_FORGE=all CGO_ENABLED=0 go test -timeout 6h ./...

race:
	go test -race -short $$(go list ./... | grep -v -E '/(tier/wasm|prove|language|extract|edit|redact|repomap)$$')

lint:
	test -z "$$(gofmt -l .)"
	go vet ./...
	go run honnef.co/go/tools/cmd/staticcheck@v0.7.0 ./...

# The fuzzers in the drivers' languages, each for a minute from a seed of its own.
fuzz:
	GLOVEBOX_FUZZ=1m CGO_ENABLED=0 go test -v -timeout 2h -run 'TestFrames|TestFuzz|TestBashFuzz|TestPythonFuzz' ./language

# What CI runs, on a bare Debian machine; ci-full is that with all rows of all tables.
ci:
	.ci/run
ci-full:
	GLOVEBOX_SAMPLE=all .ci/run

# What people install: make dist VERSION=0.1.0.
VERSION ?= 0.0.0
dist:
	go run ./internal/release -version $(VERSION) -out dist
