package shipdir

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Exclude makes git ignore files in this clone only. why becomes a comment in the exclude file. A name with a newline
// cannot be excluded.
func Exclude(ctx context.Context, clone, why string, names []string) error {
	file, err := GitPath(ctx, clone, "info/exclude")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	var was bytes.Buffer
	if _, err := was.ReadFrom(f); err != nil {
		return err
	}
	there := strings.Split(was.String(), "\n")
	lines := ""
	for _, name := range names {
		if line := "/" + escaped.Replace(name); !strings.Contains(name, "\n") && !slices.Contains(there, line) {
			lines += line + "\n"
		}
	}
	if lines == "" {
		return nil
	}
	_, err = f.WriteString("# " + why + ":\n" + lines)
	return errors.Join(err, f.Close())
}

// escaped turns a name into a pattern that matches only this name (gitignore(5)).
var escaped = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, ` `, `\ `, "\r", "\\\r")

// GitPath returns the path of a file in a clone's git directory.
func GitPath(ctx context.Context, clone, name string) (string, error) {
	out, err := Git(ctx, clone, "rev-parse", "--git-path", name)
	path := string(bytes.TrimSuffix(out, []byte("\n")))
	if !filepath.IsAbs(path) {
		path = filepath.Join(clone, path)
	}
	return path, err
}
