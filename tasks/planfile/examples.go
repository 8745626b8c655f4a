package planfile

import (
	"embed"
	"io/fs"
	"slices"
)

// examplePrefix marks a plan that comes with ocaptain rather than from a directory.
const examplePrefix = "example:"

//go:embed examples
var examples embed.FS

// Examples returns the names of the plans that come with ocaptain, the smallest first.
func Examples() []string { return []string{"tiny", "harbor"} }

// example returns the files of the plan with that name.
func example(name string) (fs.FS, error) {
	if !slices.Contains(Examples(), name) {
		return nil, fs.ErrNotExist
	}
	return fs.Sub(examples, "examples/"+name)
}
