package gitflow

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"ocaptain/sync"
)

// maxLink bounds the target of a symbolic link, in bytes.
const maxLink = 4095

// judge looks at how the files of a remote's commit differ from a commit of the branch, and refuses what the branch
// must not hold. It returns how many files differ.
func (r repo) judge(ctx context.Context, base, commit string, limits Limits) (int, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pr, pw := io.Pipe()
	go func() {
		pw.CloseWithError(r.do(ctx, nil, pw, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", base, commit))
	}()
	defer pr.Close()
	c := court{limits: limits, reasons: map[string][]string{}}
	in := bufio.NewReaderSize(pr, 2*maxPath)
	for {
		record, err := field(in)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, fmt.Errorf("files from the remote: %w", err)
		}
		path, err := field(in)
		if err != nil {
			return 0, fmt.Errorf("files from the remote: %w", noEOF(err))
		}
		if err := c.entry(record, path); err != nil {
			return 0, err
		}
	}
	if err := c.verdict(); err != nil {
		return 0, err
	}
	return c.changed, r.weigh(ctx, &c)
}

// court collects what is wrong with a set of changed files.
type court struct {
	limits  Limits
	changed int
	blobs   []string // of files that are new or changed
	links   []bool   // whether each of them is a symbolic link
	paths   []string // and where it is
	reasons map[string][]string
}

const (
	wrongModule = "submodules can't be changed by a remote"
	wrongLarge  = "files are larger than the limit"
)

// entry looks at ":oldmode newmode old new status" and its path.
func (c *court) entry(record, path string) error {
	f := strings.Fields(record)
	if len(f) != 5 {
		return errors.New("files from the remote: git diff-tree: malformed record")
	}
	if c.changed++; c.changed > c.limits.Files {
		return fmt.Errorf("files from the remote: more than %d files changed", c.limits.Files)
	}
	mode, id := f[1], f[3]
	if mode == "000000" {
		return nil
	}
	if why := badPath(path); why != "" {
		c.wrong(why, path)
		return nil
	}
	if isModules(path) || mode == "160000" {
		c.wrong(wrongModule, path)
		return nil
	}
	if mode != "100644" && mode != "100755" && mode != "120000" {
		c.wrong("not a file, a symbolic link or a directory", path)
		return nil
	}
	c.blobs, c.links, c.paths = append(c.blobs, id), append(c.links, mode == "120000"), append(c.paths, path)
	return nil
}

func (c *court) wrong(why, path string) {
	if len(c.reasons[why]) < maxListed {
		c.reasons[why] = append(c.reasons[why], path)
	}
}

// verdict turns what is wrong into an error.
func (c *court) verdict() error {
	for why, paths := range c.reasons {
		return &sync.Refused{Why: why, Paths: paths}
	}
	return nil
}

// weigh makes sure that no file is too large, nor all together.
func (r repo) weigh(ctx context.Context, c *court) error {
	if len(c.blobs) == 0 {
		return nil
	}
	in := strings.NewReader(strings.Join(c.blobs, "\n") + "\n")
	b, err := r.bytes(ctx, in, "cat-file", "--batch-check=%(objecttype) %(objectsize)", "--buffer")
	if err != nil {
		return fmt.Errorf("files from the remote: %w", err)
	}
	var total int64
	lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	for i, path := range c.paths {
		if i >= len(lines) {
			return errors.New("files from the remote: git cat-file: too few answers")
		}
		digits, ok := strings.CutPrefix(lines[i], "blob ")
		n, err := strconv.ParseInt(digits, 10, 64)
		if !ok || err != nil {
			return fmt.Errorf("files from the remote: %s is missing", plain(path))
		}
		if n > c.limits.File {
			c.wrong(wrongLarge+" of "+size(c.limits.File), path)
		}
		if c.links[i] && n > maxLink {
			c.wrong("a symbolic link is too long", path)
		}
		total += n
	}
	if total > c.limits.Total {
		return &sync.Refused{Why: fmt.Sprintf("changed files have %s together, more than the limit of %s", size(total), size(c.limits.Total)), Paths: c.paths[:1]}
	}
	return c.verdict()
}

// field reads up to a zero byte.
func field(in *bufio.Reader) (string, error) {
	b, err := in.ReadSlice(0)
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return "", errors.New("a path is too long")
	case errors.Is(err, io.EOF) && len(b) > 0:
		return "", io.ErrUnexpectedEOF
	case err != nil:
		return "", err
	}
	return string(b[:len(b)-1]), nil
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
