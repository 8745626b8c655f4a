package faults

// kept is a voyage that once failed: its seed, the place of its ships, the faults that struck, what the reader found, and a test at a lower
// level that would find it again, "" for none.
type kept struct {
	seed   uint64
	place  string
	faults []string
	found  string
	direct string
}

// cases are the voyages that a long run sails again.
var cases = []kept{
	{10, "local", []string{"kill a git of a ship", "captain resolves a merge by hand", "secrets.json flipped while helm is down"}, "a task's file was committed in the captain's name", ""},
	{17, "local", []string{"kill helm and guard", "captain merges", "kill a git of a ship", "view truncated while helm is down"}, "a tree with markers was merged as completed work", ""},
	{21, "local", []string{"view emptied while helm is down", "view removed", "inodes of the ships are gone"}, "a tree with markers was merged as completed work", ""},
	{24, "exedev", []string{"captain packs refs", "exe.dev: made two seconds later", "secrets.json truncated while helm is down"}, "a machine was left after sink", ""},
	{324, "local", again(4, "kill a git of the hub, and helm"), "merged work was committed in the captain's name, and its task had no commit", ""},
	{303, "local", again(4, "kill a git of the hub"), "a lock under refs/ocaptain stayed, and tasks failed five times", "sync/gitflow/hub TestLeftLocks"},
	{401, "local", again(4, "captain collects garbage"), "refs/ocaptain/live pointed to an object that was pruned", ""},
	{422, "local", again(5, "captain merges"), "his git could not write the index, and tasks failed five times meanwhile", ""},
	{1006, "hosts", []string{"snapshot.json flipped"}, "no command read the voyage any more", "fleet/helm/voyage TestDamages"},
	{1017, "hosts", []string{"voyage is away for a while"}, "helm made another in its place, without a branch", ""},
	{5100, "local", []string{"events.jsonl truncated", "events.jsonl put back while helm is down"}, "tasks were forgotten, and nothing was said", "fleet/helm/voyage TestDamages"},
	{7101, "local", []string{"voyage.json emptied while helm is down", "voyage.json flipped"}, "no command read the voyage any more", "fleet/helm/voyage TestDamages"},
	{7400, "local", again(3, "captain writes slowly"), "half of a file was committed", "sync/gitflow/hub TestMidWrite"},
	{7600, "local", again(4, "lock of a killed git in workspace"), "tasks failed five times", "sync/gitflow/hub TestLeftLocks"},
	{20001, "local", []string{"voyage.json put back while helm is down", "another build", "fleet.json removed", "captain writes slowly"}, "the last work of ships was lost, as helm sank them before it had reached them", ""},
	{20183, "local", []string{"hub sleeps", "captain resolves a merge by hand", "lock of a killed git in workspace"}, "a commit of the captain's took merged work back", ""},
	{60064, "local", again(3, "disk of the hub is full"), "the journal never told that the voyage was complete", ""},
	{70221, "local", []string{"kill tmux", "disk of the hub is read-only", "clock of the hub jumps", "kill a git of a ship, and the ship", "a local ship is not known"}, "a task put back by a wrong clock waited for it", "tasks/ledger TestDelayByAWrongClock"},
	{80238, "exedev", again(3, "exe.dev: another is logged in"), "a machine that was made while exe.dev named another account was never forgotten", "fleet/provider/exedev TestImpostor"},
	{90310, "exedev", []string{"secrets.json flipped", "captain replaces a ship"}, "no ship could be replaced or added any more", "fleet/helm/voyage TestSecretsAreWrittenAgain"},
	{5200, "local", []string{"fleet.json emptied", "fleet.json removed while helm is down"}, "machines were forgotten, and went on", "fleet/helm/voyage TestDamages"},
}

func again(n int, name string) (all []string) {
	for range n {
		all = append(all, name)
	}
	return all
}

// caseOf returns the case of a seed; a case without faults when there is none.
func caseOf(seed uint64) kept {
	for _, c := range cases {
		if c.seed == seed {
			return c
		}
	}
	return kept{}
}
