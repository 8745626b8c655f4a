//go:build !long

package program

import "runtime"

// builtFor is the architecture that TestBuild builds for: this one, which Go has compiled already.
const builtFor = runtime.GOARCH
