package search

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// asked are the modules for the questions. The weights were tuned with others: bubbletea, bubbles, cobra, viper and
// golang.org/x/{net,crypto,tools}.
var asked = []string{
	"github.com/blevesearch/bleve/v2@v2.6.3", "github.com/hibiken/asynq@v0.26.0", "github.com/redis/go-redis/v9@v9.23.0",
	"github.com/modelcontextprotocol/go-sdk@v1.8.0", "github.com/nats-io/nats-server/v2@v2.12.0",
}

// question is the doc comment of a function, without the function's name, and the function.
type question struct{ text, file, name string }

// corpus returns the Go files of modules without the doc comments of functions, and these comments as questions.
func corpus(t testing.TB, modules ...string) (files map[string]string, all []question) {
	t.Helper()
	files = map[string]string{}
	for i, dir := range download(t, modules) {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			raw, err := os.ReadFile(path)
			name, _, _ := strings.Cut(filepath.Base(modules[i]), "@")
			name += strings.TrimPrefix(path, dir)
			text, more := undocumented(name, string(raw))
			files[name], all = text, append(all, more...)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files, all
}

// download downloads modules and returns their directories.
func download(t testing.TB, modules []string) (dirs []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"mod", "download", "-json"}, modules...)...)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "GOFLAGS=")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go mod download: %v: %s", err, out)
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var m struct{ Dir string }
		if err := d.Decode(&m); err == io.EOF {
			return dirs
		} else if err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, m.Dir)
	}
}

// undocumented returns a file without the doc comments of its functions, and a question for each comment: its first paragraph, if
// that has 5 to 60 words.
func undocumented(name, text string) (string, []question) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "", text, parser.ParseComments)
	if err != nil {
		return text, nil
	}
	var all []question
	out := []byte(text)
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Doc == nil {
			continue
		}
		for i := set.Position(fn.Doc.Pos()).Offset; i < set.Position(fn.Doc.End()).Offset; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
		first, _, _ := strings.Cut(fn.Doc.Text(), "\n\n")
		own := regexp.MustCompile(`\b` + regexp.QuoteMeta(fn.Name.Name) + `\b`)
		words := strings.Fields(own.ReplaceAllString(first, " "))
		if len(words) < 5 || len(words) > 60 {
			continue
		}
		is := fn.Name.Name
		if fn.Recv != nil {
			is = receiver(fn.Recv.List[0].Type) + "." + is
		}
		all = append(all, question{strings.Join(words, " "), name, is})
	}
	return string(out), all
}

func indexOf(files map[string]string) (x *Index, size int) {
	x = NewIndex()
	for name, text := range files {
		x.Put(name, text)
		size += len(text)
	}
	return x, size
}
