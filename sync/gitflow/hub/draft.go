package hub

import (
	"context"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/merge"
)

// trailerSeal is the key of the trailer that holds a draft's seal.
const trailerSeal = "Ocaptain-Seal"

// Draft makes a commit of a remote tree's work since its last Checkout, taken from the newest snapshot. Without such
// work it returns "". The commit's parent is the commit from which the work is counted; the same work makes the same
// commit. No ref keeps the commit. Draft writes seal's result into the message; GetDraft checks it. For work that
// changes files which steer agents, the error is a *sync.Refused: such files would steer the agent that continues the
// draft.
func (h *Hub) Draft(ctx context.Context, name, subject string, seal func(text string) string) (string, error) {
	if !git.IsRemoteName(name) {
		return "", errName
	}
	rec := h.remote(name)
	if isNew, err := h.isNew(ctx, rec); !isNew || err != nil || rec.Home != "" && rec.Since == "" {
		return "", err
	}
	from := rec.From(rec.base)
	trees, err := h.repo.Resolve(ctx, from+"^{tree}", rec.live+"^{tree}")
	if err != nil || trees[0] == trees[1] {
		return "", err
	}
	if err := steersNone(ctx, h.Merger, from, rec.live); err != nil {
		return "", err
	}
	message := subject + "\n\n" + trailerSeal + ": " + seal(trees[1]+" "+from)
	return h.repo.WriteCommit(git.Commit{Tree: trees[1], Parents: []string{from}, Message: message, Undated: true})
}

// GetDraft is GetWork for a commit that Draft made, on any hub with the same seal function. It returns false for any
// other commit.
func (h *Hub) GetDraft(ctx context.Context, commit, ref string, seal func(text string) string) (bool, error) {
	if err := h.GetWork(ctx, commit, ref); err != nil {
		return false, err
	}
	from, err := h.Parent(ctx, commit)
	if err != nil {
		return false, err
	}
	tree, err := h.Tree(ctx, commit)
	if err != nil {
		return false, err
	}
	if has, err := h.Trailer(ctx, commit, trailerSeal); err != nil || has != seal(tree+" "+from) {
		return false, err
	}
	return true, steersNone(ctx, h.Merger, from, commit)
}

// steersNone returns a *sync.Refused if commit changes files of from which steer agents.
func steersNone(ctx context.Context, m *merge.Merger, from, commit string) error {
	paths, err := m.Steers(ctx, from, commit)
	if err == nil && len(paths) > 0 {
		err = &sync.Refused{Why: "it changes files that steer agents", Paths: paths}
	}
	return err
}

// GetWork fetches a commit from the repository that hubs share and points ref at it, unless this clone has the
// commit. It refuses a commit that this hub would also refuse from a ship.
func (h *Hub) GetWork(ctx context.Context, commit, ref string) error {
	if h.Upstream == nil {
		return h.Check(ctx, commit)
	}
	if err := h.Upstream.Get(ctx, commit, ref); err != nil {
		return err
	}
	from, err := h.Parent(ctx, commit)
	if err != nil {
		return err
	}
	return h.intake.Judge(ctx, from, commit)
}
