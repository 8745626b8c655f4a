package planfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"ocaptain/tasks"

	"github.com/google/renameio/v2"
)

// Write writes a plan to a missing or empty directory in the form that Open reads. It does not write the plan's
// defects.
func Write(dir string, p *Plan) error {
	dir, err := filepath.Abs(dir)
	if err == nil {
		err = isVacant(dir)
	}
	if err == nil {
		err = os.MkdirAll(filepath.Join(dir, "tasks"), 0o755)
	}
	put := func(name string, data []byte, mode fs.FileMode) {
		if err == nil {
			err = renameio.WriteFile(filepath.Join(dir, name), data, mode)
		}
	}
	put("spec.md", p.Spec, 0o644)
	put("verify.sh", p.Verify, 0o755)
	for _, t := range p.Tasks {
		var data []byte
		if err == nil {
			data, err = indented(t)
		}
		put(filepath.Join("tasks", t.ID+".json"), data, 0o644)
	}
	head := map[string]any{"name": p.Name, "repo": p.Repo.String(), "recommended_ships": p.Ships, "total_tasks": len(p.Tasks), "created": p.Created}
	for key, value := range maps.All(p.Extra) {
		head[key] = value
	}
	var data []byte
	if err == nil {
		data, err = indented(head)
	}
	put(voyageFile, data, 0o644) // written last, so that an interrupted write leaves no plan
	if err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	return nil
}

// isVacant returns an error for a directory with entries.
func isVacant(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty; name a new directory", dir)
	}
	return nil
}

// indented returns a value as indented JSON.
func indented(v any) ([]byte, error) {
	raw, err := tasks.Marshal(v)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = json.Indent(&b, raw, "", "  ")
	b.WriteByte('\n')
	return b.Bytes(), err
}
