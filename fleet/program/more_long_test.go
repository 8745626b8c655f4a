//go:build long

package program

var builtFor = other // TestBuild builds for it
