package changes

import (
	"context"
	"strconv"
	"strings"

	"ocaptain/fleet"
)

// File is a changed file with its counts of lines; -1 for a binary file. The path is as a ship
// wrote it.
type File struct {
	Path    string `json:"path"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
}

// ListFiles lists the files that the change touches. A renamed file counts as two unless renames is
// set.
func (c Change) ListFiles(ctx context.Context, d fleet.Dir, renames bool) ([]File, error) {
	if c.IsEmpty() {
		return []File{}, nil
	}
	how := "--no-renames"
	if renames {
		how = "--find-renames"
	}
	stat, err := Output(ctx, d.Workspace(), c.diffArgs("--numstat", "-z", how)...)
	if err != nil {
		return nil, err
	}
	return numstat(stat), nil
}

// numstat reads git diff --numstat -z. The two names of a renamed file are separate records, the
// new name last.
func numstat(out string) []File {
	files := []File{}
	records := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	for i := 0; i < len(records); i++ {
		f := strings.SplitN(records[i], "\t", 3)
		if len(f) != 3 {
			continue
		}
		if f[2] == "" && i+2 < len(records) {
			f[2] = records[i+2]
			i += 2
		}
		files = append(files, File{f[2], number(f[0]), number(f[1])})
	}
	return files
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}
