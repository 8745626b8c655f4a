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

// Exclude has git ignore files in a clone, and in no other. Why is a comment. A name with a line break cannot be excluded.
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

// escaped makes a pattern of a name that matches nothing else (gitignore(5)).
var escaped = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, ` `, `\ `, "\r", "\\\r")

// GitPath is where git keeps one of its own files of a clone.
func GitPath(ctx context.Context, clone, name string) (string, error) {
	out, err := Git(ctx, clone, "rev-parse", "--git-path", name)
	path := string(bytes.TrimSuffix(out, []byte("\n")))
	if !filepath.IsAbs(path) {
		path = filepath.Join(clone, path)
	}
	return path, err
}
