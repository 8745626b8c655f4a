//go:build linux

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

// many is how many processes a test may start without saying why.
const many = 2000

// reason is what the comment of a test says after "Processes: ", of why it starts so many, "" for nothing. The package's directory is below
// the present one.
func reason(i id) string {
	files, _ := filepath.Glob(filepath.Join(short(i.pkg), "*_test.go"))
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			continue
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == i.test {
				_, why, _ := strings.Cut(fn.Doc.Text(), "Processes: ")
				return strings.Join(strings.Fields(why), " ")
			}
		}
	}
	return ""
}
