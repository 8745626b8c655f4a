package bd

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"ocaptain/tasks/pattern"
)

// generation describes how a group of bd's versions keeps issues.
type generation struct {
	database string // its name in .beads
	kind     fs.FileMode
	link     func(Database) error // puts a link to the database in the place where bd looks for it
	imports  func(file string) []string
	exports  func(file string) []string // arguments of the command that writes all issues to the file; nil if bd keeps the file up to date
}

var isVersion = pattern.New(`^\d{1,4}\.\d{1,4}\.\d{1,4}([-+.][0-9A-Za-z.+-]{0,40})?$`)

// generationOf returns the generation of a version, nil for an unknown version. Versions 0.50 to 0.63 are unknown, since they differ
// from each other.
func generationOf(version string) *generation {
	parts := strings.SplitN(version, ".", 3)
	major, _ := strconv.Atoi(parts[0])
	minor, _ := strconv.Atoi(parts[1])
	switch {
	case major == 0 && minor < 50:
		return &generation{"beads.db", 0, linkFile, importFile, nil}
	case major == 1:
		return &generation{"embeddeddolt", fs.ModeDir, linkDolt, importDolt, exportDolt}
	}
	return nil
}

func linkFile(d Database) error {
	return os.Symlink(d.path("beads.db"), filepath.Join(d.Scratch, ".beads", "beads.db"))
}

func importFile(file string) []string {
	return []string{"--db", filepath.Join(filepath.Dir(file), ".beads", "beads.db"), "--sandbox", "--lock-timeout", "10s", "import", "-i", file}
}

// linkDolt also writes the file that names the database: the captain's own such file is on the branch.
func linkDolt(d Database) error {
	all, err := os.ReadDir(d.path("embeddeddolt"))
	if err != nil {
		return err
	}
	var names []string
	for _, e := range all {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	if len(names) != 1 {
		return fmt.Errorf(".beads/embeddeddolt has %d databases, and ocaptain knows what to do with one: remove the others", len(names))
	}
	metadata, err := json.Marshal(map[string]string{"database": "dolt", "backend": "dolt", "dolt_mode": "embedded", "dolt_database": names[0]})
	if err == nil {
		err = os.WriteFile(filepath.Join(d.Scratch, ".beads", "metadata.json"), metadata, 0o600)
	}
	if err == nil {
		err = os.Symlink(d.path("embeddeddolt"), filepath.Join(d.Scratch, ".beads", "embeddeddolt"))
	}
	return err
}

func importDolt(file string) []string { return []string{"--sandbox", "import", file} }

func exportDolt(file string) []string { return []string{"--sandbox", "export", "-o", file} }
