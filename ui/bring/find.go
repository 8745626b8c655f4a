package bring

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"ocaptain/fleet/clean"
	"ocaptain/sync/bounded"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/origin"
	"ocaptain/ui/changes"
)

// Limits bound what goes to ships. The settings in Config raise them.
type Limits struct {
	Files  int
	Bytes  int64
	Config string // the file with these settings
}

// LimitError means that sources select more than may go to ships.
type LimitError struct {
	What string // what exceeds the limit
	Fix  string
}

func (e *LimitError) Error() string { return e.What }

// looking bounds how long git may search for files, as others may have written the patterns.
const looking = time.Minute

// longestInclude bounds a .worktreeinclude, in bytes.
const longestInclude = 64 << 10

// ReadInclude returns the patterns of the .worktreeinclude at the top of a checkout, nil without such a file.
func ReadInclude(dir string) ([]string, error) {
	root, err := openTop(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := open(root, IncludeName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if errors.Is(err, errLink) || err == nil && !isRegular(f) {
		return nil, fmt.Errorf("%s is no file of its own; put the file itself there", IncludeName)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, longestInclude+1))
	if len(raw) > longestInclude {
		return nil, fmt.Errorf("%s is larger than %d bytes", IncludeName, longestInclude)
	}
	return strings.Split(string(raw), "\n"), err
}

// Find returns the git-ignored files that sources select in the checkout with top dir. Each source counts separately: a file that one
// source excludes with ! another may select.
func Find(ctx context.Context, dir string, sources []Source, most Limits) (Chosen, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, looking, fmt.Errorf("git has looked for files for %s: name fewer, or simpler patterns", looking))
	defer cancel()
	files, skipped := map[string]*File{}, map[string]string{}
	var c Chosen
	for _, s := range sources {
		names, err := matches(ctx, dir, s.Lines)
		if errors.Is(err, bounded.ErrMore) || len(names) > maxMatches {
			return c, tooMany(s, names, most)
		}
		if err != nil {
			return c, fmt.Errorf("%s: %w", s.From, causeOr(ctx, err))
		}
		ignored, err := ignores(ctx, dir, names)
		if err != nil {
			return c, fmt.Errorf("%s: %w", s.From, causeOr(ctx, err))
		}
		if len(ignored) > most.Files {
			return c, tooMany(s, ignored, most)
		}
		for _, name := range names {
			why := refusal(name)
			if _, found := slices.BinarySearch(ignored, name); !found && why == "" {
				why = "git does not ignore it; commit it, and ships have it"
			}
			if why != "" {
				skipped[name] = why
				continue
			}
			f := files[name]
			if f == nil {
				f = &File{Path: name}
				files[name] = f
			}
			f.From, f.Agreed = append(f.From, s.From), f.Agreed || s.Agreed
		}
	}
	err := c.look(dir, files, skipped, most)
	for _, name := range slices.Sorted(maps.Keys(skipped)) {
		if files[name] == nil {
			c.Skipped = append(c.Skipped, Skipped{name, skipped[name]})
		}
	}
	return c, err
}

// causeOr returns why ctx ended, or err if it has not.
func causeOr(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// maxMatches bounds how many files patterns may match, ignored or not.
const maxMatches = 200_000

func tooMany(s Source, names []string, most Limits) error {
	example := ""
	if len(names) > 0 {
		example = ", like " + names[0]
	}
	return &LimitError{
		What: clean.Line(fmt.Sprintf("%s names more than %d files that git ignores%s", s.From, most.Files, example)),
		Fix:  fmt.Sprintf("name fewer, or raise bring_files in %s", most.Config),
	}
}

// refusal returns why a file of this name never goes to ships, "" when it may.
func refusal(name string) string {
	switch {
	case strings.HasSuffix(name, "/"):
		return "it is a git repository of its own"
	case git.BadPath(name) != "":
		return git.BadPath(name)
	case !utf8.ValidString(name):
		return "its name is not UTF-8"
	case strings.ContainsFunc(name, unicode.IsControl):
		return "its name has control characters"
	}
	return ""
}

// look reads the size and mode of each file, and whether it looks like a secret. It removes skipped files
// from files.
func (c *Chosen) look(dir string, files map[string]*File, skipped map[string]string, most Limits) error {
	root, err := openTop(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	left := most.Bytes
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f := files[name]
		why, err := f.look(root)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", clean.Line(name), err)
		case why != "":
			skipped[name] = why
			delete(files, name)
			continue
		case f.Size > left:
			return &LimitError{
				What: clean.Line(fmt.Sprintf("%s, named by %s, has %s, and all files that go to ships may have %s together", name, f.From[0], sizeText(f.Size), sizeText(most.Bytes))),
				Fix:  fmt.Sprintf("name fewer, or raise bring_size in %s", most.Config),
			}
		}
		left -= f.Size
		c.Files = append(c.Files, *f)
	}
	if len(c.Files) > most.Files {
		return tooMany(Source{From: "all that is to be brought"}, nil, most)
	}
	return nil
}

// look reads what a file is. It returns why the file does not go to ships, "" when it does.
func (f *File) look(root *os.File) (why string, err error) {
	in, err := open(root, f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it is gone", nil
	case errors.Is(err, errLink):
		return "it is a link, or behind one", nil
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENXIO):
		return "it cannot be read", nil
	case err != nil:
		return "", err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "it is no plain file", nil
	}
	f.Size, f.Mode = info.Size(), info.Mode().Perm()
	head := make([]byte, min(f.Size, maxScan))
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return "", err
	}
	f.Secret = secret(f.Path, head[:n])
	return "", nil
}

// matches returns the untracked files that patterns match.
func matches(ctx context.Context, dir string, lines []string) ([]string, error) {
	if !slices.ContainsFunc(lines, func(l string) bool { return strings.TrimSpace(l) != "" }) {
		return nil, nil
	}
	patterns, err := os.CreateTemp("", "ocaptain-bring-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(patterns.Name()) }()
	_, err = patterns.WriteString(strings.Join(lines, "\n") + "\n")
	if err = errors.Join(err, patterns.Close()); err != nil {
		return nil, err
	}
	return run(ctx, dir, nil, "ls-files", "-z", "--others", "--ignored", "--exclude-from="+patterns.Name())
}

// ignores returns the git-ignored files among names, in order.
func ignores(ctx context.Context, dir string, names []string) ([]string, error) {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return refusal(name) != "" })
	if len(names) == 0 {
		return nil, nil
	}
	args := []string{"check-ignore", "-z", "--stdin"}
	if own, err := origin.CaptainIgnores(ctx, dir); err == nil && own != "" {
		args = append([]string{"-c", "core.excludesFile=" + own}, args...)
	}
	said, err := run(ctx, dir, strings.NewReader(strings.Join(names, "\x00")), args...)
	if git.ExitCode(err) == 1 {
		err = nil // git ignores none of the names
	}
	slices.Sort(said)
	return said, err
}

// run runs git in the captain's checkout for a list of names.
func run(ctx context.Context, dir string, in io.Reader, args ...string) ([]string, error) {
	cmd, out := changes.GitCommand(ctx, dir, args...), bounded.Refuse(git.MaxOutput)
	err := git.RunCommand(ctx, cmd, in, out)
	if out.IsOver() {
		return nil, bounded.ErrMore
	}
	return strings.FieldsFunc(string(out.Bytes()), func(c rune) bool { return c == 0 }), err
}
