// Package privatetest gives tests a runtime directory: the homes that they make have long paths.
package privatetest

import "os"

// Runtime has XDG_RUNTIME_DIR be a new directory for this process and those that it starts, and returns what removes it.
func Runtime() (remove func()) {
	dir, err := os.MkdirTemp("/tmp", "oc-")
	if err == nil {
		err = os.Setenv("XDG_RUNTIME_DIR", dir)
	}
	if err != nil {
		panic(err)
	}
	return func() { _ = os.RemoveAll(dir) }
}
