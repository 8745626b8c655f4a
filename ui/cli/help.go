package cli

import (
	"cmp"
	"embed"
	"strings"

	"charm.land/lipgloss/v2"
	grid "charm.land/lipgloss/v2/table"
	"github.com/spf13/cobra"

	"ocaptain/tasks/pattern"
	"ocaptain/theme"
	"ocaptain/ui/words"
)

// pages are the long topics of help, one Markdown file each. They use this part of Markdown: headings, paragraphs,
// items of one line each, tables, bold text, code in backquotes and indented code. A library for all of Markdown would
// cost 20 ms at every start of the program, and each hook of an agent is a start.
//
//go:embed help/*.md
var pages embed.FS

// widest is the most columns that a page of help takes.
const widest = 120

// pageTopic is a topic of help whose text is help/NAME.md.
func pageTopic(b *bridge, name, short string) *cobra.Command {
	cmd := &cobra.Command{Use: name, Short: short}
	cmd.SetHelpFunc(func(*cobra.Command, []string) {
		if err := b.printPage(name); err != nil {
			printError(b.err, err)
		}
	})
	return cmd
}

// wrapHelp makes the commands below cmd wrap their long texts between words; fang would break flags at their hyphens.
func wrapHelp(b *bridge, cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		if c.Long != "" && c.GroupID != groupMore {
			c.SetHelpFunc(func(c *cobra.Command, args []string) {
				c.Long = strings.Join(words.Wrap(joinLines(c.Long), cmp.Or(min(b.width, widest), widest)-helpPad), "\n")
				c.Root().HelpFunc()(c, args)
			})
		}
		wrapHelp(b, c)
	}
}

// helpPad is how many columns fang leaves free before a long text.
const helpPad = 2

// joinLines joins each paragraph of a text into one line, unless the paragraph is a list.
func joinLines(text string) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		if !strings.Contains(p, "\n ") {
			paragraphs[i] = strings.ReplaceAll(p, "\n", " ")
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// printPage prints a topic, laid out for the terminal. When output is not a terminal, it prints the Markdown itself,
// for other programs to lay out.
func (b *bridge) printPage(name string) error {
	raw, err := pages.ReadFile("help/" + name + ".md")
	if err != nil {
		return err
	}
	text := string(raw)
	if b.width > 0 {
		text = layOut(text, min(b.width, widest))
	}
	_, err = b.out.Write([]byte(text))
	return err
}

// layOut renders a page for a terminal of this width.
func layOut(page string, width int) string {
	var out strings.Builder
	lines := strings.Split(strings.TrimSuffix(page, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		switch line := lines[i]; {
		case strings.HasPrefix(line, "#"):
			out.WriteString(theme.Title.Render(strings.TrimLeft(line, "# ")) + "\n")
		case strings.HasPrefix(line, "|"):
			end := i
			for end < len(lines) && strings.HasPrefix(lines[end], "|") {
				end++
			}
			out.WriteString(layOutTable(lines[i:end], width) + "\n")
			i = end - 1
		default:
			out.WriteString(strings.Join(words.Wrap(inline(line), width), "\n") + "\n")
		}
	}
	return out.String()
}

// layOutTable renders a table: its first line is the header, its second the rule below the header.
func layOutTable(lines []string, width int) string {
	t := grid.New().Width(width).BorderRow(true).Headers(splitCells(lines[0])...).
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).BorderStyle(theme.Dim).
		StyleFunc(func(row, _ int) lipgloss.Style {
			if row == grid.HeaderRow {
				return theme.Title.Padding(0, 1)
			}
			return lipgloss.NewStyle().Padding(0, 1)
		})
	for _, line := range lines[2:] {
		t.Row(splitCells(inline(line))...)
	}
	return t.String()
}

func splitCells(line string) []string {
	all := strings.Split(strings.Trim(line, "|"), "|")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}

var codeSpan = pattern.New("`([^`]+)`")

var boldSpan = pattern.New(`\*\*([^*]+)\*\*`)

// inline colours text in backquotes, and makes text between double stars bold.
func inline(line string) string {
	line = boldSpan().ReplaceAllStringFunc(line, func(s string) string { return theme.Title.Render(strings.Trim(s, "*")) })
	return codeSpan().ReplaceAllStringFunc(line, func(s string) string { return theme.Accent.Render(strings.Trim(s, "`")) })
}
