package park

import (
	"context"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"ocaptain/sync/bounded"
	"ocaptain/sync/gitflow/git"
)

// ownCommits is how git log tells a remote's commits to Cleaned. The message comes last.
const ownCommits = "--format=%H%n%T%n%P%n%an <%ae>%n%ad%n%cn <%ce>%n%cd%n"

// unread is the message of a kept commit when there are more messages than Cleaned reads.
const unread = "(left out: the messages of this work are too long to be kept)"

// Cleaned returns what to keep of a commit from a remote: the commit itself, or a copy with the same files when
// clean takes something out of the messages and names of the remote's own commits. A commit is the remote's own
// when neither the branch nor what any tree was brought to has it. A snapshot right on base has no such commits behind
// it; base is "" for a commit that is no snapshot.
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

// copied makes copies of the commits in a log, which ends with id, and returns that of id.
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
