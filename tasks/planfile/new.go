package planfile

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"ocaptain/tasks"

	"github.com/google/renameio/v2"
)

// New writes a small valid plan for the captain to change: a copy of the tiny example for that repository. The
// directory must be missing or empty; name "" means the name of the directory.
func New(dir, name string, repo tasks.Repo) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	if name == "" {
		name = filepath.Base(dir)
	}
	if strings.TrimSpace(name) == "" || strings.ContainsFunc(name, unicode.IsControl) {
		return fmt.Errorf("plan name %q: use letters and digits", name)
	}
	if err := isVacant(dir); err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	files, err := example("tiny")
	if err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	head, err := newVoyageFile(files, name, repo)
	if err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	err = fs.WalkDir(files, ".", func(file string, e fs.DirEntry, err error) error {
		if err != nil || file == voyageFile {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(file))
		if e.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		data, err := fs.ReadFile(files, file)
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if path.Ext(file) == ".sh" {
			mode = 0o755
		}
		return renameio.WriteFile(to, data, mode)
	})
	if err == nil { // written last, so that an interrupted write leaves no plan
		err = renameio.WriteFile(filepath.Join(dir, voyageFile), head, 0o644)
	}
	if err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	return nil
}

// newVoyageFile returns the voyage.json of an example with another name and repository.
func newVoyageFile(files fs.FS, name string, repo tasks.Repo) ([]byte, error) {
	data, err := fs.ReadFile(files, voyageFile)
	if err != nil {
		return nil, err
	}
	o := parse(voyageFile, data, func(Defect) {})
	for _, f := range []struct {
		key   string
		value any
	}{{"created", time.Now().UTC().Truncate(time.Second)}, {"repo", repo.String()}, {"name", name}} { // name is set last, as it is first in the file and may contain another value's text
		text, err := tasks.Marshal(f.value)
		if err != nil {
			return nil, err
		}
		data = bytes.Replace(data, o.fields[f.key].value, text, 1)
	}
	return data, nil
}
