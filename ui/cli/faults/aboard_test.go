package faults

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ocaptain/ui/cli/clitest"
	"ocaptain/ui/cli/faults/reader"
)

// late writes a file aboard, as an agent does after its last task when a message asks for it.
func (v *voyage) late(ship, tree string) error {
	v.lates++
	return clitest.Write(filepath.Join(tree, fmt.Sprintf("%s%d-%s.txt", reader.Late, v.lates, ship)), fmt.Sprintln("late", v.lates))
}

// lookAboard reads the files of all ships. A ship whose tree does not exist yet has none.
func (v *voyage) lookAboard() (all []reader.Aboard) {
	for name, dir := range v.ships() {
		tree := workspaceOf(dir)
		if tree == "" {
			continue
		}
		err := v.late(name, tree)
		var a reader.Aboard
		if err == nil {
			a, err = reader.LookAboard(name, tree)
		}
		if err != nil {
			v.Errorf("the tree of %s cannot be read: %v", name, err)
			continue
		}
		all = append(all, a)
	}
	return all
}

// replace has the captain replace a ship, and reports whether that was possible. When helm sees the ship, its last
// work must be on the hub then.
func (v *voyage) replace() bool {
	ship := v.someShip()
	if ship == "" {
		return false
	}
	var before reader.Aboard
	if tree := workspaceOf(v.ships()[ship]); tree != "" && len(v.heals) == 0 && v.sees(ship) {
		err := v.late(ship, tree)
		if err == nil {
			before, err = reader.LookAboard(ship, tree)
		}
		v.note("what %s has before it is replaced: %d files, %v", ship, len(before.Files), err)
	}
	out, code := v.run("ship", "replace", ship, "--force", "--voyage", v.id)
	v.note("ship replace %s: exit %d %.300s", ship, code, out)
	if code != 0 {
		return false
	}
	for name := range before.Files { // its agent may work on another task by now
		if !strings.HasPrefix(name, reader.Late) {
			delete(before.Files, name)
		}
	}
	v.replaced = append(v.replaced, before)
	return true
}

// sees reports whether helm says that a ship lives.
func (v *voyage) sees(ship string) bool {
	out, _ := v.run("status", "--json", v.id)
	var s reader.Status
	if json.Unmarshal([]byte(out), &s) != nil {
		return false
	}
	for _, is := range s.Ships {
		if is.Name == ship {
			return slices.Contains([]string{"working", "idle", "waiting", "done"}, is.Status.Word)
		}
	}
	return false
}
