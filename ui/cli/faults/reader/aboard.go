package reader

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Aboard holds the files of a ship as blobs.
type Aboard struct {
	Ship  string
	Files map[string]string // blobs by path
}

// LookAboard reads the working tree of a ship: everything that git does not ignore.
func LookAboard(ship, tree string) (Aboard, error) {
	a := Aboard{Ship: ship, Files: map[string]string{}}
	out, err := Git(tree, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return a, err
	}
	there, err := Git(tree, "ls-files", "-z", "--deleted")
	if err != nil {
		return a, err
	}
	gone := map[string]bool{}
	for name := range strings.SplitSeq(there, "\x00") {
		gone[name] = true
	}
	var names []string
	for name := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		if name != "" && !gone[name] {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return a, nil
	}
	hashes, err := feed(tree, strings.Join(names, "\n")+"\n", "hash-object", "--no-filters", "--stdin-paths")
	if err != nil {
		return a, err
	}
	for i, hash := range strings.Fields(hashes) {
		a.Files[names[i]] = hash
	}
	return a, nil
}

// Kept checks that everything a ship had is in the history of some ref of a repository.
func (a Aboard) Kept(repository string) (wrong []string) {
	out, err := Git(repository, "rev-list", "--objects", "--all")
	if err != nil {
		return []string{err.Error()}
	}
	kept := map[string]bool{}
	for line := range strings.Lines(out) {
		hash, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		kept[hash] = true
	}
	for name, hash := range a.Files {
		if !kept[hash] {
			wrong = append(wrong, fmt.Sprintf("%s had %s, which is in no ref of %s", a.Ship, name, filepath.Base(repository)))
		}
	}
	return wrong
}
