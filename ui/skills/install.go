package skills

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ocaptain/sync/whole"
)

// State is how an installed skill compares with ocaptain's.
type State string

// The states.
const (
	Absent  State = "not installed"
	Current State = "installed"
	Other   State = "from another version of ocaptain" // as another version wrote it
	Changed State = "changed"                          // by somebody other than ocaptain
)

// Place is a directory where Claude Code looks for skills.
type Place string

// UserPlace returns where Claude Code finds a user's skills for all projects; config is
// CLAUDE_CONFIG_DIR, or "".
func UserPlace(home, config string) Place {
	if config == "" {
		config = filepath.Join(home, ".claude")
	}
	return Place(filepath.Join(config, "skills"))
}

// Project returns where Claude Code finds the skills of the project in dir.
func Project(dir string) Place { return Place(filepath.Join(dir, ".claude", "skills")) }

// Path returns the path of a skill's file.
func (p Place) Path(s Skill) string { return filepath.Join(string(p), s.Name, "SKILL.md") }

// ErrChanged means that a file is not as ocaptain wrote it.
var ErrChanged = errors.New("was changed, so it stays as it is")

// seal ends an installed file and holds a hash of the content above it.
const seal = "\n<!-- written by ocaptain; to keep changes, remove this line. content: "

func sealed(text string) string { return text + seal + digest(text) + " -->\n" }

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// maxSkill bounds how much of an existing file is read.
const maxSkill = 1 << 20

// StateOf returns the state of a skill's file.
func (p Place) StateOf(s Skill) (State, error) {
	info, err := os.Stat(p.Path(s))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Absent, nil
	case err != nil:
		return "", fmt.Errorf("skill %s: %w", s.Name, err)
	case !info.Mode().IsRegular() || info.Size() > maxSkill:
		return Changed, nil
	}
	raw, err := os.ReadFile(p.Path(s))
	if err != nil {
		return "", fmt.Errorf("skill %s: %w", s.Name, err)
	}
	text := string(raw)
	if text == sealed(s.Text) {
		return Current, nil
	}
	if i := strings.LastIndex(text, seal); i >= 0 && text == sealed(text[:i]) {
		return Other, nil
	}
	return Changed, nil
}

// Install writes the file of a skill and returns its state before. If somebody changed the file,
// Install overwrites it only with force; otherwise the error is ErrChanged.
func (p Place) Install(s Skill, force bool) (State, error) {
	was, err := p.StateOf(s)
	switch {
	case err != nil:
		return was, err
	case was == Current:
		return was, nil
	case was == Changed && !force:
		return was, fmt.Errorf("%s %w", p.Path(s), ErrChanged)
	}
	if err := os.MkdirAll(filepath.Dir(p.Path(s)), 0o755); err != nil {
		return was, fmt.Errorf("skill %s: %w", s.Name, err)
	}
	if err := whole.Write(p.Path(s), []byte(sealed(s.Text)), 0o644); err != nil {
		return was, fmt.Errorf("skill %s: %w", s.Name, err)
	}
	return was, nil
}

// Remove removes the file of a skill and returns its state before. If somebody changed the file,
// Remove removes it only with force; otherwise the error is ErrChanged. Other files stay.
func (p Place) Remove(s Skill, force bool) (State, error) {
	was, err := p.StateOf(s)
	switch {
	case err != nil || was == Absent:
		return was, err
	case was == Changed && !force:
		return was, fmt.Errorf("%s %w", p.Path(s), ErrChanged)
	}
	if err := os.Remove(p.Path(s)); err != nil {
		return was, fmt.Errorf("skill %s: %w", s.Name, err)
	}
	_ = os.Remove(filepath.Dir(p.Path(s))) // fails if the directory holds other files
	return was, nil
}
