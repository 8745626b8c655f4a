package planfile

import (
	"embed"
	"io/fs"
	"slices"
)

// examplePrefix starts the name of a plan that is built into ocaptain.
const examplePrefix = "example:"

//go:embed examples
var examples embed.FS

// Examples returns the names of the plans that are built into ocaptain, the smallest first.
func Examples() []string { return []string{"tiny", "harbor"} }

// example returns the files of the plan with that name.
func example(name string) (fs.FS, error) {
	if !slices.Contains(Examples(), name) {
		return nil, fs.ErrNotExist
	}
	return fs.Sub(examples, "examples/"+name)
}
