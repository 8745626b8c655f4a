package agentpane

import (
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/theme"
	"ocaptain/ui/words"
)

// Details returns everything known about a ship, as rows.
func Details(s *fleet.ShipView, now time.Time) []string {
	var lines []string
	add := func(name, value string) {
		if value != "" {
			lines = append(lines, theme.Dim.Render(fmt.Sprintf("%-12s", name))+clean.Line(value))
		}
	}
	add("status", string(s.Status.Word)+strings.TrimSuffix(": "+s.Status.Reason, ": "))
	add("since", words.Since(now, s.Status.Since))
	add("last seen", words.Since(now, s.Status.SeenAt)+", by "+s.Status.Source)
	add("role", s.Role)
	add("agent", strings.TrimSpace(s.Agent+" "+s.Version))
	add("session", s.State.Session)
	add("task", s.Task)
	if !s.Committed.IsZero() {
		add("no commit", "for "+words.Age(now.Sub(s.Committed))+strings.TrimSuffix(", told "+words.Counted(s.Nudges, "time"), ", told 0 times"))
	}
	if s.Draining {
		add("drained", "it gets no more, and goes when it is done")
	}
	add("conversation", words.Conversation(s.Conversation))
	add("done", words.Counted(s.Completed, "task"))
	add("not merged", s.ListText())
	add("messages", words.Queued(s))
	add("slowed", words.Slowed(s))
	add("search", words.Index(s.Index))
	add("checks reach", s.Open)
	add("provider", s.Provider)
	add("machine", s.Machine.ID)
	add("address", s.Machine.Addr)
	if s.Tailnet != nil {
		add("tailnet", s.Tailnet.IP)
	}
	add("reached by", s.Via)
	add("user", s.Machine.User)
	add("system", strings.Trim(s.OS+"/"+s.Arch, "/"))
	add("host key", s.HostKey)
	add("created", words.Since(now, s.Created))
	if !s.Worked.IsZero() {
		add("last worked", words.Since(now, s.Worked))
	}
	add("idle for", words.RestTime(s))
	add("price", words.ShipCost(now, s))
	add("look at it", s.Guard)
	if s.Built > 1 {
		add("machines", fmt.Sprintf("this is number %d", s.Built))
	}
	lines = append(lines, "", theme.Title.Render("Provisioning"))
	for _, step := range s.Steps {
		lines = append(lines, theme.Yes.Style.Render(theme.Yes.Glyph)+" "+fmt.Sprintf("%-16s", clean.Line(step.Name))+theme.Dim.Render(words.Duration(step.Took)))
	}
	switch {
	case s.Phase == fleet.Failed:
		lines = append(lines, theme.No.Style.Render(theme.No.Glyph)+" "+clean.Line(s.Step+": "+s.Error))
		for line := range strings.Lines(clean.Text(s.Output)) {
			lines = append(lines, theme.Dim.Render("  "+strings.TrimRight(line, "\n")))
		}
	case s.Step != "" && s.Phase == fleet.Provisioning:
		lines = append(lines, theme.Going.Style.Render(theme.Going.Glyph)+" "+clean.Line(s.Step)+" …")
	}
	return lines
}
