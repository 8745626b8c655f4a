package issues

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/bd"
	"ocaptain/fleet/clean"
	"ocaptain/tasks/beads"
)

// bdTime is how long bd may take to read all issues, and bdRetry the pause after a failure.
const bdTime, bdRetry = 2 * time.Minute, 10 * time.Second

// KeepDatabase makes bd read the issues that helm writes into bd's database in the workspace. Nothing waits for this.
func (i *Issues) KeepDatabase(ctx context.Context) {
	if i.Info.Beads.Prefix == "" || i.Info.Beads.Mode == "" {
		return
	}
	var last []byte // the issues that bd has read last
	var again <-chan time.Time
	for {
		select {
		case <-i.unread:
		case <-again:
		case <-ctx.Done():
			return
		}
		issues, err := i.bdReads(ctx, last)
		if ctx.Err() != nil {
			return
		}
		again = nil
		if last = issues; err != nil {
			last, again = nil, time.After(bdRetry)
		}
		i.notRead(err)
	}
}

// ReadSoon makes KeepDatabase check whether bd has something to read.
func (i *Issues) ReadSoon() { i.unread.Send() }

// bdReads makes bd read the branch's issues, unless they equal the issues that bd has read last. If bd does not write its database to the file,
// changes that people made there become proposals, and stay in the database.
func (i *Issues) bdReads(ctx context.Context, last []byte) ([]byte, error) {
	d := bd.Database{Workspace: i.Dir.Workspace(), Scratch: i.Dir.Bd(), Most: bdTime}
	s := i.session()
	head, err := i.Work.Head(ctx)
	if err != nil {
		return nil, err
	}
	issues, err := i.Work.File(ctx, head, beads.Name)
	if err != nil {
		return nil, err
	}
	tracked, err := i.tracked(ctx, head)
	if err == nil {
		err = d.Import(ctx, tracked, func(was []byte) []byte {
			give := issues
			if was != nil {
				ours := beads.Read(issues)
				give = ours.Without(i.propose(ctx, s, beads.Read(was).Newer(ours)))
			}
			if last != nil && bytes.Equal(issues, last) {
				return nil
			}
			return give
		})
	}
	if errors.Is(err, bd.ErrAbsent) && i.Info.Beads.Mode == fleet.BeadsAuto {
		return issues, nil
	}
	return issues, err
}

// tracked lists the files in .beads on the branch, whatever the case of that name, since some file systems ignore
// case.
func (i *Issues) tracked(ctx context.Context, commit string) (names []string, err error) {
	top, err := i.Work.Names(ctx, commit, "")
	if err != nil {
		return nil, err
	}
	for _, dir := range top {
		if !strings.EqualFold(dir, ".beads") {
			continue
		}
		some, err := i.Work.Names(ctx, commit, dir)
		if err != nil {
			return nil, err
		}
		names = append(names, some...)
	}
	return names, nil
}

// notRead records why bd has not read the issues, nil if it has.
func (i *Issues) notRead(err error) {
	why := ""
	switch {
	case errors.Is(err, bd.ErrAbsent):
		why = "it is not on the PATH of helm, and beads.mode is cli: install it, or write jsonl there for the next session"
	case err != nil:
		why = fmt.Sprintf("%s; helm tries again. See to bd in %s, or remove the database that it has there in .beads", clean.Bound(err.Error(), clean.MaxText), i.Dir.Workspace())
	}
	i.Hinders.SetUnread(i.Secrets.Redact(why))
}
