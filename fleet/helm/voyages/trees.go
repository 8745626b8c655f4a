package voyages

import (
	"path/filepath"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/trees"
)

// newTrees returns what keeps the trees that hub and ships share.
func (h *Set) newTrees() *trees.Trees {
	return trees.New(h.ctx, trees.Options{
		Dir: filepath.Join(h.Hub.State, "mutagen"), Link: filepath.Join(h.Hub.Runtime, "m"), Key: filepath.Join(h.Hub.State, "id_ed25519"),
		Nc: []string{h.bin.Path, "nc"}, Tell: h.noteTree, Log: h.log,
	}, h.jobs.Go)
}

// noteTree passes the state of a ship's shared tree on to its voyage.
func (h *Set) noteTree(voyage, ship string, is fleet.SharedTree) {
	if v := h.named(voyage); v != nil {
		v.Tree.Took(ship, is)
	}
}
