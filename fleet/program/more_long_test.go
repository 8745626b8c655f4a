//go:build long

package program

import "runtime"

// builtFor is an architecture that this machine does not have.
var builtFor = map[string]string{"amd64": "arm64", "arm64": "amd64"}[runtime.GOARCH]
