//go:build linux

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

// many is how many processes a test may start without giving a reason.
const many = 2000

// reason returns the text after "Processes: " in a test's comment: why the test starts so many. It is "" without such a comment. The
// package's directory is below the current directory.
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
