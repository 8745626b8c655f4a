package gitflow

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ocaptain/sync/bounded"
	"ocaptain/sync/gitflow/git"
)

// Push brings a branch of the clone at dir to the source, under the same name. One that the source has already moves only when
// nothing of it is lost. As in Fetch, only the transfer runs with the captain's own git settings and credentials, and no hook runs.
func Push(ctx context.Context, dir, source, branch string, opts PrepareOptions) error {
	if !git.IsRefUnder(branch, "") {
		return fmt.Errorf("branch %q: use letters, digits, dots, dashes and underscores", git.PlainText(branch))
	}
	source, err := cleanSource(source)
	if err != nil {
		return err
	}
	ref, out := "refs/heads/"+branch, bounded.Refuse(git.MaxOutput)
	err = transfer(ctx, dir, out, opts, "push", "--porcelain", "--no-verify", "--no-recurse-submodules", "--", source, ref+":"+ref)
	if err == nil {
		return nil
	}
	for line := range strings.Lines(out.String()) { // what the source says to the branch, "!", the refs and why not
		if fields := strings.Split(strings.TrimSpace(line), "\t"); len(fields) == 3 && fields[0] == "!" {
			err = errors.New(git.PlainText(fields[2]))
		}
	}
	return fmt.Errorf("push %s to %s: %w", branch, git.PlainText(source), err)
}
