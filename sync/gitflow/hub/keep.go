package hub

import (
	"context"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"ocaptain/sync/bounded"
	"ocaptain/sync/gitflow/git"
)

// ownCommits is how git log tells a remote's commits to cleaned. The message comes last.
const ownCommits = "--format=%H%n%T%n%P%n%an <%ae>%n%ad%n%cn <%ce>%n%cd%n"

// unread is the message of a kept commit when there are more messages than cleaned reads.
const unread = "(left out: the messages of this work are too long to be kept)"

// cleaned returns what to keep of a commit from a remote: the commit itself, or a copy with the same files when
// Options.Clean takes something out of the messages and names of the remote's own commits. A commit is the remote's own
// when neither the branch nor what any tree was brought to has it. A snapshot right on base has no such commits behind
// it; base is "" for a commit that is no snapshot.
func (h *Hub) cleaned(ctx context.Context, id, base string) (string, error) {
	if h.opts.Clean == nil {
		return id, nil
	}
	found, err := h.repo.Resolve(ctx, id+"^1", id+"^2")
	if err != nil || found[0] == base && found[1] == "" {
		return id, err
	}
	for _, message := range []string{"%B", unread + "%n"} {
		all := bounded.Refuse(git.MaxOutput)
		err := h.repo.Stream(ctx, nil, all, "log", "-z", "--topo-order", "--reverse", "--no-show-signature", "--no-notes",
			"--encoding=UTF-8", "--date=raw", ownCommits+message, id, "--not", h.Ref(), "--glob="+git.RefBase+"*")
		if all.IsOver() {
			continue
		}
		if err != nil {
			return "", err
		}
		text := all.String()
		if message == "%B" && h.opts.Clean(text) == text {
			return id, nil
		}
		return h.copied(id, text)
	}
	return "", fmt.Errorf("the names of authors are larger than %s", humanize.IBytes(uint64(git.MaxOutput)))
}

// cleanRemote has the refs of a remote keep what cleaned returns. For a remote that lives, it would have to send its
// commits again.
func (h *Hub) cleanRemote(ctx context.Context, name string) error {
	rec := h.remote(name)
	for ref, at := range map[string]*string{git.RefLive: &rec.live, git.RefHome: &rec.home} {
		if *at == "" {
			continue
		}
		kept, err := h.cleaned(ctx, *at, rec.base)
		if err != nil {
			return err
		}
		if kept == *at {
			continue
		}
		if err := h.repo.UpdateRefs(ctx, "update "+ref+name+" "+kept); err != nil {
			return err
		}
		*at = kept
	}
	return nil
}

// copied makes copies of the commits in a log, which ends with id, and returns that of id.
func (h *Hub) copied(id, log string) (string, error) {
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
		fmt.Fprintf(&b, "author %s %s\ncommitter %s %s\n\n%s", h.opts.Clean(f[3]), f[4], h.opts.Clean(f[5]), f[6], h.opts.Clean(f[7]))
		var err error
		if copies[f[0]], err = h.repo.WriteObject("commit", []byte(b.String()), id); err != nil {
			return "", err
		}
	}
	return copies[id], nil
}
