// Package editor opens a text in the captain's editor.
package editor

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// ErrNone means that the captain has set no editor, and vi is missing.
var ErrNone = errors.New("there is no editor: set EDITOR to the command of yours, like nano or \"code --wait\"")

// Command returns the command that opens file in the captain's editor: VISUAL or EDITOR, run by the shell as
// git does, else vi.
func Command(environ []string, file string) (*exec.Cmd, error) {
	line := cmp.Or(value(environ, "VISUAL"), value(environ, "EDITOR"))
	if line == "" {
		if _, err := exec.LookPath("vi"); err != nil {
			return nil, ErrNone
		}
		line = "vi"
	}
	cmd := exec.Command("sh", "-c", line+` "$@"`, line, file)
	cmd.Env = environ
	return cmd, nil
}

func value(environ []string, name string) string {
	for _, kv := range slices.Backward(environ) {
		if text, ok := strings.CutPrefix(kv, name+"="); ok {
			return strings.TrimSpace(text)
		}
	}
	return ""
}

// Draft is a text in a file that other users cannot read.
type Draft struct{ Path string }

// NewDraft writes a text to a file of this name in a fresh directory.
func NewDraft(name string, text []byte) (Draft, error) {
	dir, err := os.MkdirTemp("", "ocaptain-edit-")
	if err != nil {
		return Draft{}, err
	}
	d := Draft{filepath.Join(dir, name)}
	return d, os.WriteFile(d.Path, text, 0o600)
}

// Read returns the present text. A text longer than most bytes is an error.
func (d Draft) Read(most int64) ([]byte, error) {
	if is, err := os.Stat(d.Path); err != nil {
		return nil, err
	} else if is.Size() > most {
		return nil, fmt.Errorf("%s has %d bytes, and %d are allowed: shorten it", d.Path, is.Size(), most)
	}
	return os.ReadFile(d.Path)
}

// Remove removes the file.
func (d Draft) Remove() { _ = os.RemoveAll(filepath.Dir(d.Path)) }
