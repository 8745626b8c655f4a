// Package privatetest gives tests a runtime directory, since the homes that they make have long paths.
package privatetest

import "os"

// Runtime sets XDG_RUNTIME_DIR to a new directory, for this process and its children. remove removes it.
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
