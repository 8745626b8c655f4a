package cli

import (
	"fmt"
	"io"
	"strings"

	"ocaptain/tasks/planfile"

	"ocaptain/fleet/clean"
	"ocaptain/ui/graphtext"
)

// printDot writes the graph for Graphviz, the critical path in bold and groups in boxes.
func printDot(w io.Writer, plan *planfile.Plan) {
	g := plan.Graph
	path, _ := g.Critical()
	next := graphtext.Following(path)
	fmt.Fprintf(w, "digraph %s {\n  rankdir=LR\n  node [shape=box, style=rounded]\n", dotQuoted(plan.Name))
	for _, t := range g.Tasks() {
		bold := ""
		if _, ok := next[t.ID]; ok {
			bold = ", penwidth=2"
		}
		fmt.Fprintf(w, "  %s [label=%s%s]\n", dotQuoted(t.ID), dotQuoted(t.ID+"  "+t.Subject), bold)
	}
	for i, group := range g.Groups() {
		fmt.Fprintf(w, "  subgraph cluster_%d {\n    label=%s\n    style=dashed\n", i, dotQuoted(group.Name))
		for _, id := range group.Tasks {
			fmt.Fprintf(w, "    %s\n", dotQuoted(id))
		}
		fmt.Fprintln(w, "  }")
	}
	graphEdges(g, func(from, to string) {
		bold := ""
		if next[from] == to {
			bold = " [penwidth=2]"
		}
		fmt.Fprintf(w, "  %s -> %s%s\n", dotQuoted(from), dotQuoted(to), bold)
	})
	fmt.Fprintln(w, "}")
}

// dotQuoted returns a string in the quoting of DOT, where a backslash begins an escape of labels.
func dotQuoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(clean.Line(s)) + `"`
}

// printMermaid writes the graph as a Mermaid flowchart.
func printMermaid(w io.Writer, plan *planfile.Plan) {
	g := plan.Graph
	path, _ := g.Critical()
	next := graphtext.Following(path)
	name := make(map[string]string, len(g.Tasks())) // ids may be keywords of Mermaid
	fmt.Fprintln(w, "flowchart LR")
	for i, t := range g.Tasks() {
		name[t.ID] = fmt.Sprintf("t%d", i)
		fmt.Fprintf(w, "  %s[%s]\n", name[t.ID], mermaidQuoted(t.ID+"  "+t.Subject))
	}
	for i, group := range g.Groups() {
		fmt.Fprintf(w, "  subgraph g%d [%s]\n", i, mermaidQuoted(group.Name))
		for _, id := range group.Tasks {
			fmt.Fprintf(w, "    %s\n", name[id])
		}
		fmt.Fprintln(w, "  end")
	}
	graphEdges(g, func(from, to string) {
		arrow := "-->"
		if next[from] == to {
			arrow = "==>"
		}
		fmt.Fprintf(w, "  %s %s %s\n", name[from], arrow, name[to])
	})
}

// mermaidQuoted returns a label in the quoting of Mermaid, which would read it as Markdown and HTML.
func mermaidQuoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range clean.Line(s) {
		if strings.ContainsRune("\"#<>&`*_\\", r) {
			fmt.Fprintf(&b, "#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
