package staging

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"ocaptain/sync/gitflow/git"
)

// BroughtFile is the path, inside a tree's git directory, of a JSON list of the files that helm put into the tree
// beside git: the SHA-256 of each file by its path. Snapshots leave these files out, even if no rule ignores them,
// unless the checked-out commit has them.
const BroughtFile = "ocaptain/brought.json"

// ReadBrought reads a BroughtFile, nil if there is none.
func ReadBrought(file string) (map[string]string, error) {
	raw, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all map[string]string
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, fmt.Errorf("files that were brought: remove %s: %w", file, err)
	}
	return all, nil
}

// withoutBrought removes the files of BroughtFile from a list that git printed.
func withoutBrought(r git.Repo, list []byte) ([]byte, error) {
	brought, err := ReadBrought(r.Path(BroughtFile))
	if err != nil || len(brought) == 0 {
		return list, err
	}
	var kept strings.Builder
	for name := range strings.SplitSeq(string(list), "\x00") {
		if _, is := brought[name]; !is && name != "" {
			kept.WriteString(name + "\x00")
		}
	}
	return []byte(kept.String()), nil
}
