package hub

import (
	"context"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/staging"
)

// ahead counts the files of the newest snapshot that the branch lacks.
func (h *Hub) ahead(ctx context.Context, name string) (int, error) {
	rec := h.remote(name)
	from := countedFrom(rec.Home, rec.base)
	head, err := h.Head(ctx)
	if err != nil {
		return 0, err
	}
	if rec.seen.from == from && (rec.seen.head == head || rec.seen.ahead == 0) { // if the branch lacked no file before, it lacks none now
		return rec.seen.ahead, nil
	}
	all, shared, err := changed(ctx, h.repo, from, rec.live, head)
	if err != nil {
		return 0, err
	}
	rec.seen.from, rec.seen.head, rec.seen.since, rec.seen.ahead = from, head, len(all), len(all)-len(shared)
	return rec.seen.ahead, nil
}

// changed lists the files that a snapshot changed since the commit from, and those of them that are the same at head.
// Without a head the second list is empty.
func changed(ctx context.Context, r git.Repo, from, live, head string) (all map[string]git.Change, shared []string, err error) {
	all, err = r.Changes(ctx, from, live)
	if err != nil || len(all) == 0 || head == "" || head == from {
		return all, nil, err
	}
	lacks, err := r.Changes(ctx, head, live)
	if err != nil {
		return nil, nil, err
	}
	for path := range all {
		if _, no := lacks[path]; !no {
			shared = append(shared, path)
		}
	}
	return all, shared, nil
}

// countedFrom returns the commit from which to count unmerged work: the snapshot that was merged last, or else the
// commit at which the tree was checked out.
func countedFrom(home, base string) string {
	if home != "" {
		return home
	}
	return base
}

// Unmerged returns two commits or trees of the clone at dir. Their difference is the unmerged work of a remote tree:
// what its newest snapshot has and the last recorded head of the branch lacks. They are equal when nothing is
// unmerged, and "" when there never was a snapshot.
func Unmerged(ctx context.Context, dir, name string) (from, live string, err error) {
	if !git.IsRemoteName(name) {
		return "", "", nil
	}
	r, err := git.Open(dir)
	if err != nil {
		return "", "", err
	}
	found, err := r.Resolve(ctx, git.RefLive+name+"^{commit}", git.RefHome+name+"^{commit}", git.RefBase+name+"^{commit}", git.RefHead+"^{commit}")
	if err != nil {
		return "", "", err
	}
	if live, from = found[0], countedFrom(found[1], found[2]); from == "" || live == "" {
		return live, live, nil
	}
	all, shared, err := changed(ctx, r, from, live, found[3])
	switch {
	case err != nil:
		return "", "", err
	case len(all) == len(shared):
		return live, live, nil
	case len(shared) == 0:
		return from, live, nil
	}
	from, err = staging.WithChanges(ctx, r, from, all, shared)
	return from, live, err
}
