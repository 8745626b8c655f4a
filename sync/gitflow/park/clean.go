package park

import (
	"context"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"ocaptain/sync/bounded"
	"ocaptain/sync/gitflow/git"
)

// ownCommits is the format in which Cleaned has git log print a remote's commits. The message comes last.
const ownCommits = "--format=%H%n%T%n%P%n%an <%ae>%n%ad%n%cn <%ce>%n%cd%n"

// unread replaces the message of a kept commit when there are more messages than Cleaned reads.
const unread = "(left out: the messages of this work are too long to be kept)"

// Cleaned returns the commit to keep for a commit from a remote: the commit itself, or a copy with the same files if
// p.clean changes messages or names of the remote's own commits. Those are the commits that neither the branch nor
// the base of any tree reaches. base is the base of a snapshot, "" for other commits: a snapshot whose parent is base
// has no own commits, so Cleaned need not look for them.
func (p *Park) Cleaned(ctx context.Context, id, base string) (string, error) {
	if p.clean == nil {
		return id, nil
	}
	found, err := p.repo.Resolve(ctx, id+"^1", id+"^2")
	if err != nil || found[0] == base && found[1] == "" {
		return id, err
	}
	for _, message := range []string{"%B", unread + "%n"} {
		all := bounded.Refuse(git.MaxOutput)
		err := p.repo.Stream(ctx, nil, all, "log", "-z", "--topo-order", "--reverse", "--no-show-signature", "--no-notes",
			"--encoding=UTF-8", "--date=raw", ownCommits+message, id, "--not", p.branch, "--glob="+git.RefBase+"*")
		if all.IsOver() {
			continue
		}
		if err != nil {
			return "", err
		}
		text := all.String()
		if message == "%B" && p.clean(text) == text {
			return id, nil
		}
		return p.copied(id, text)
	}
	return "", fmt.Errorf("the names of authors are larger than %s", humanize.IBytes(uint64(git.MaxOutput)))
}

// copied makes cleaned copies of the commits in a log whose last commit is id, and returns the copy of id.
func (p *Park) copied(id, log string) (string, error) {
	copies := map[string]string{}
	for own := range strings.SplitSeq(strings.TrimSuffix(log, "\x00"), "\x00") {
		f := strings.SplitN(own, "\n", 8)
		if len(f) < 8 {
			return "", fmt.Errorf("git log: %d lines on a commit", len(f))
		}
		var b strings.Builder
		b.WriteString("tree " + f[1] + "\n")
		for parent := range strings.FieldsSeq(f[2]) {
			if copies[parent] != "" {
				parent = copies[parent]
			}
			b.WriteString("parent " + parent + "\n")
		}
		fmt.Fprintf(&b, "author %s %s\ncommitter %s %s\n\n%s", p.clean(f[3]), f[4], p.clean(f[5]), f[6], p.clean(f[7]))
		var err error
		if copies[f[0]], err = p.repo.WriteObject("commit", []byte(b.String()), id); err != nil {
			return "", err
		}
	}
	return copies[id], nil
}
