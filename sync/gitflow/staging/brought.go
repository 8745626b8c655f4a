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

// BroughtFile is where the git directory of a tree keeps the files that were brought into it beside git, as JSON: the SHA-256 of each by its
// path. No copy has them, also when nothing ignores them any more, unless a commit had them when the tree was brought there.
const BroughtFile = "ocaptain/brought.json"

// ReadBrought reads that list, empty where there is none.
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

// withoutBrought takes the files out of a list of git's that were brought.
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
