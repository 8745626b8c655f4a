// Package privatetest gives tests a runtime directory: the homes that they make have long paths.
package privatetest

import "os"

// Runtime makes XDG_RUNTIME_DIR a new directory for this process and its children, and returns what removes it.
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
