// Package discoveries reads reviewers' notes about a repository from docs/discoveries in a commit. It merges similar
// ones, and decides which still apply. The notes are hostile input.
package discoveries

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"ocaptain/fleet/search"
	"ocaptain/sync/gitflow/git"
)

// Limits of what is read. If there are more files, those with the last names are read, since directories are named
// after months.
const (
	maxFiles = 500
	maxFile  = 8 << 10 // bytes
)

// Discovery is a fact about a repository for agents and people who work on it later. Its texts are as in the file, and not
// cleaned.
type Discovery struct {
	File   string // path of the file that contains it
	Type   string
	Text   string
	Files  []string // files that it is about
	Task   string   // the task whose review found it
	Author string   // the author of the reviewed work
	Commit string   // the commit that added the file
	At     time.Time
	Same   []string // older files that say nearly the same
	Stale  bool     // see Judge
}

// Title returns the first line of the discovery.
func (d *Discovery) Title() string {
	line, _, _ := strings.Cut(d.Text, "\n")
	return line
}

// Skipped is a file in the directory that is no discovery.
type Skipped struct {
	File string
	Why  string
}

// Read reads the discoveries in a commit, the newest first. It also lists the files that are no discoveries.
func Read(ctx context.Context, r git.Repo, commit string) ([]Discovery, []Skipped, error) {
	r = r.With("GIT_LITERAL_PATHSPECS=1")
	listed, err := r.Bytes(ctx, nil, "ls-tree", "-r", "-z", "-l", commit, "--", search.Discoveries)
	if err != nil {
		return nil, nil, err
	}
	blobs, skipped := pick(listed)
	if len(blobs) == 0 {
		return nil, skipped, nil
	}
	texts, err := r.Bytes(ctx, ids(blobs), "cat-file", "--batch")
	if err != nil {
		return nil, nil, err
	}
	log, err := r.Bytes(ctx, nil, "log", "--diff-filter=A", "--no-renames", "--format=%H %ct", "-z", "--name-only", commit, "--", search.Discoveries)
	if err != nil {
		return nil, nil, err
	}
	added := readLog(log)
	var all []Discovery
	for _, b := range blobs {
		var text []byte
		if text, texts, err = nextBlob(texts); err != nil {
			return nil, nil, err
		}
		d, err := parse(text)
		if err != nil {
			skipped = append(skipped, Skipped{b.name, err.Error()})
			continue
		}
		d.File, d.Commit, d.At = b.name, added[b.name].commit, added[b.name].at
		all = append(all, d)
	}
	slices.SortStableFunc(all, func(a, b Discovery) int {
		if c := b.At.Compare(a.At); c != 0 {
			return c
		}
		return strings.Compare(b.File, a.File)
	})
	return merge(all), skipped, nil
}

// blob is a file in a tree.
type blob struct{ id, name string }

// pick parses git's list of a tree, and returns the files that may contain a discovery.
func pick(listed []byte) (blobs []blob, skipped []Skipped) {
	for entry := range strings.SplitSeq(string(listed), "\x00") {
		meta, name, ok := strings.Cut(entry, "\t")
		f := strings.Fields(meta) // mode, type, object, size
		if !ok || len(f) != 4 {
			continue
		}
		size, _ := strconv.Atoi(f[3])
		switch {
		case path.Ext(name) != ".md":
			skipped = append(skipped, Skipped{name, "its name does not end with .md"})
		case f[0] != "100644" && f[0] != "100755":
			skipped = append(skipped, Skipped{name, "it is not a file"})
		case size > maxFile:
			skipped = append(skipped, Skipped{name, fmt.Sprintf("it is larger than %d KiB", maxFile>>10)})
		default:
			blobs = append(blobs, blob{f[2], name})
		}
	}
	for _, b := range blobs[:max(0, len(blobs)-maxFiles)] {
		skipped = append(skipped, Skipped{b.name, fmt.Sprintf("there are %d that come later", maxFiles)})
	}
	return blobs[max(0, len(blobs)-maxFiles):], skipped
}

// ids returns the ids of the objects to read, one per line.
func ids(blobs []blob) *strings.Reader {
	var b strings.Builder
	for _, one := range blobs {
		b.WriteString(one.id + "\n")
	}
	return strings.NewReader(b.String())
}

// nextBlob splits off the first answer of "git cat-file --batch".
func nextBlob(answers []byte) (text, rest []byte, err error) {
	head, rest, _ := bytes.Cut(answers, []byte("\n"))
	f := strings.Fields(string(head)) // object, type, size
	if len(f) != 3 {
		return nil, nil, fmt.Errorf("git cat-file: %s", git.PlainText(string(head)))
	}
	size, err := strconv.Atoi(f[2])
	if err != nil || size < 0 || size >= len(rest) {
		return nil, nil, fmt.Errorf("git cat-file: %s: the answer is cut short", git.PlainText(string(head)))
	}
	return rest[:size], rest[size+1:], nil
}

// origin says which commit added a file.
type origin struct {
	commit string
	at     time.Time
}

// readLog returns, for each file, the newest commit that added it.
func readLog(log []byte) map[string]origin {
	added := map[string]origin{}
	var by origin
	for part := range strings.SplitSeq(string(log), "\x00") {
		name := strings.TrimPrefix(part, "\n")
		if !strings.HasPrefix(name, search.Discoveries) {
			commit, at, _ := strings.Cut(name, " ")
			seconds, _ := strconv.ParseInt(at, 10, 64)
			by = origin{commit, time.Unix(seconds, 0).UTC()}
			continue
		}
		if _, ok := added[name]; !ok {
			added[name] = by
		}
	}
	return added
}
