//go:build !linux

package tailnettest

// KeepsFromPorts reports whether this kernel can keep a program from listening at TCP ports.
func KeepsFromPorts() bool { return false }
