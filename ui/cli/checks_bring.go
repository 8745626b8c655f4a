package cli

import (
	"context"
	"strings"
)

// bringFindings say which git-ignored files of this checkout would go to ships, and which seem to be needed and would not.
func bringFindings(ctx context.Context, b *bridge) []finding {
	limit, cancel := context.WithTimeout(ctx, probing)
	defer cancel()
	chosen, lacks, wrong := b.launchYard().FilesHere(limit)
	f := finding{What: "ignored files", Need: "agents that need what git ignores", State: healthy}
	if wrong != nil {
		f.Found, f.State, f.Fix = wrong.Error(), doubt, wrong.Hint
		return []finding{f}
	}
	var all []finding
	if len(chosen.Files)+len(chosen.Skipped) > 0 {
		var lines []string
		for _, l := range chosen.List() {
			lines = append(lines, l.Text)
		}
		f.Found = "ships get " + chosen.Summary() + " · " + strings.Join(lines, " · ")
		if chosen.Asks() {
			f.Found += " · you are asked first"
		}
		all = append(all, f)
	}
	for _, d := range lacks {
		f.Found, f.State, f.Fix = d.What, doubt, d.Fix
		all = append(all, f)
	}
	return all
}
