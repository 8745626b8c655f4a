// Package packages knows the agents' programs in npm's registry. For the version of each that ocaptain is tested with, it
// has the digest of the archive, which "npm view PACKAGE@VERSION dist.integrity" prints; for other versions it asks the
// registry. The programs need no other package and no install script.
package packages

import (
	"fmt"
	"runtime"
	"strings"

	"ocaptain/fleet/fetch"
)

// Claude is the version of Claude Code that ships get. The behaviour of its task tools and hooks is tested for this
// version.
const Claude = "2.1.329"

type byMachine map[string]fetch.Program

// The processors, named as "uname -m" does.
const (
	amd = "x86_64"
	arm = "aarch64"
)

var all = map[string]byMachine{
	"claude": {
		amd: npmProgram("@anthropic-ai/claude-code-linux-x64", Claude, "claude", "+n4lu1ubYAp02Y0X/MAUnxw9yY6SHHZ77F+IoW+V0wVoFuiI9opdH6gofjf14gXJCEYMTNpks7Gn1i8XZTKAWA=="),
		arm: npmProgram("@anthropic-ai/claude-code-linux-arm64", Claude, "claude", "IiG5umFToSCVWqB1lEsxxwIxKgxPXyZ3DRU915v8J4Bz5Q3JpslM0ew1m5yaT+lFXBPvYxmsEgi0XI68XHND0A=="),
	},
	"codex": {
		amd: npmProgram("@openai/codex", "0.169.0-linux-x64", "vendor/x86_64-unknown-linux-musl/bin/codex", "o05NyAOCDygSPRo1yinzxvkRSdmsZyBD9E7mbpmjRanSfM8lypqWtQgEo4XfNkwhuCR2aFu8mlGOsQGFXVbVww=="),
		arm: npmProgram("@openai/codex", "0.169.0-linux-arm64", "vendor/aarch64-unknown-linux-musl/bin/codex", "NZ/DaQUpcQmxmqee7Z9uC1rzw3GhSbooawcaTe1LN5Yk+WlinUKGdTXJgClRT/9ogQEEM9TWxYzvxPfj5G/xFg=="),
	},
	"gemini": {amd: gemini, arm: gemini},
	"opencode": { // runs on every processor; this version has no such build for aarch64
		amd: npmProgram("opencode-linux-x64-baseline", "1.18.33", "bin/opencode", "1KQGBiiDDeL/VHHbHkOvvFo8Jr97WT5+C1tear+p7IcDTnXgVHXqIjU4O4jM4mHQzykTP2i884FCnW5LDa+zCA=="),
	},
	"copilot": {
		amd: npmProgram("@github/copilot-linux-x64", "1.0.102", "copilot", "eGHPbsP0p2QgfVZCjtbGBFZPBOJQ0DN7xIbBRAo7oG8b1zfLirQIdfI4h8Iy68Dv2cKJGJZg2/EO7W7KpIMJOw=="),
		arm: npmProgram("@github/copilot-linux-arm64", "1.0.102", "copilot", "5rO0B2/AduCekrE+aUzipySKZxZY2b/tVRZ8Suy8ymPFNC0Q7HQiQ8DZhxj+3RhHR8rU2Z8KOJVAbtMlROX6+A=="),
	},
	"amp": { // this version has no such build for aarch64
		amd: npmProgram("@ampcode/cli-linux-x64", "0.0.1790142911-g7618fb", "amp", "BsQyuBKf9jYno4vknDM9Mx20iOurO8/G14aaHZCMT1H1TlrOIOWH4//1ZwBll1/AneOxc+mqkoF0f3N/3fr/eA=="),
	},
}

var gemini = withNode(npmProgram("@google/gemini-cli", "0.61.0", "bundle/gemini.js", "dbQ9A0qBtFJNi6XBkHvfZ6Azpn6PNgH/P8h2MZ67RLlX8hSAVjup39CRWqdRxZv7YXIuhrFaytr8y0jKnkoxnQ=="))

func npmProgram(name, version, file, sum string) fetch.Program {
	return fetch.Program{Archive: fetch.Archive{Name: name, Version: version, Sum: "sha512-" + sum}, File: file}
}

func withNode(p fetch.Program) fetch.Program {
	p.Node = 20
	return p
}

// Release is one version of an agent's program. The zero value means the version that ocaptain is tested with.
type Release struct {
	Version string            `json:"version,omitempty"`
	Sums    map[string]string `json:"sums,omitempty"` // digests of the archives in npm's notation, by processor
}

// ProgramFor returns an agent's program for a processor, named as "uname -m" does.
func ProgramFor(agent, machine string, r Release) (fetch.Program, error) {
	p, ok := all[agent][machine]
	if !ok {
		return p, fmt.Errorf("ocaptain knows no %s for machines of type %.40q: install it there, on the PATH", agent, machine)
	}
	if r.Version != "" {
		p.Version = r.Version + strings.TrimPrefix(p.Version, Tested(agent))
		if p.Sum, ok = r.Sums[machine]; !ok {
			return p, fmt.Errorf("%s %s is not known for machines of type %.40q: choose another version", agent, r.Version, machine)
		}
	}
	p.Command = agent
	return p, nil
}

// Here returns the processor of this machine, named as "uname -m" does on Linux.
func Here() string { return map[string]string{"amd64": amd, "arm64": arm}[runtime.GOARCH] }

// Tested returns the version of an agent that ocaptain is tested with, "" for an agent that is not in this package.
func Tested(agent string) string {
	for _, p := range all[agent] {
		version, _, _ := strings.Cut(p.Version, "-linux-")
		return version
	}
	return ""
}
