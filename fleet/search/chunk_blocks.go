package search

import (
	"strings"

	"ocaptain/tasks/pattern"
)

// line is a line of a text.
type line struct {
	from, to int // byte offsets, without the newline
	indent   int // -1 for an empty line
}

// linesOf returns the lines of a text.
func linesOf(text string) []line {
	var all []line
	for from := 0; from < len(text); {
		to := strings.IndexByte(text[from:], '\n')
		if to < 0 {
			to = len(text)
		} else {
			to += from
		}
		l := line{from: from, to: to, indent: -1}
		width := 0
	indent:
		for i := from; i < to; i++ {
			switch text[i] {
			case ' ':
				width++
			case '\t':
				width += 4
			case '\r':
			default:
				l.indent = width
				break indent
			}
		}
		all = append(all, l)
		from = to + 1
	}
	return all
}

// cutBlocks cuts a text by indentation; see blocks. It cuts a block with more than maxLines by the indentation inside it, and
// finally by the number of lines.
func cutBlocks(text string) []Chunk {
	lines := linesOf(text)
	var all []Chunk
	var cut func(from, to, depth int)
	cut = func(from, to, depth int) {
		for _, b := range blocks(text, lines, from, to) {
			if b[1]-b[0] > maxLines && depth < 4 && b[1]-b[0] < to-from {
				cut(b[0], b[1], depth+1)
				continue
			}
			for at := b[0]; at < b[1]; at += maxLines {
				all = append(all, blockOf(text, lines, at, min(at+maxLines, b[1])))
			}
		}
	}
	cut(0, len(lines), 0)
	return joined(all)
}

// blocks cuts lines into blocks. A block begins at a line with the least indentation that follows an empty line or lines with
// more indentation; a closing bracket begins no block. Inside a block, the least indentation is that of its inner lines.
func blocks(text string, lines []line, from, to int) [][2]int {
	least := -1
	for _, l := range lines[from:to] {
		if l.indent >= 0 && (least < 0 || l.indent < least) {
			least = l.indent
		}
	}
	if from > 0 && least >= 0 {
		inner := -1
		for _, l := range lines[from+1 : to] {
			if l.indent > least && (inner < 0 || l.indent < inner) {
				inner = l.indent
			}
		}
		if inner > least {
			least = inner
		}
	}
	var all [][2]int
	begin, body, empty := from, false, false
	for i := from; i < to; i++ {
		l := lines[i]
		if l.indent < 0 {
			empty = true
			continue
		}
		first := text[l.from+lead(text[l.from:l.to])]
		closes := first == '}' || first == ')' || first == ']' || strings.HasPrefix(strings.TrimSpace(text[l.from:l.to]), "end")
		starts := l.indent <= least && !closes && (body || empty)
		if starts && i > begin {
			all = append(all, [2]int{begin, i})
			begin, body = i, false
		}
		if l.indent > least {
			body = true
		}
		empty = false
	}
	return append(all, [2]int{begin, to})
}

// lead returns the length of the white space at the beginning of a line that is not empty.
func lead(s string) int { return len(s) - len(strings.TrimLeft(s, " \t\r")) }

// joined joins each short chunk without a name to the chunk beside it.
func joined(all []Chunk) []Chunk {
	var out []Chunk
	for _, c := range all {
		if n := len(out); n > 0 {
			p := &out[n-1]
			if p.Name == "" && p.End-p.Start < minLines && c.End-p.Start < maxLines || c.Name == "" && c.End-c.Start < minLines && c.End-p.Start < maxLines {
				p.End, p.To = c.End, c.To
				if p.Name == "" {
					p.Name = c.Name
				}
				p.signature += " " + c.signature
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

// declares matches a declaration with a keyword, and the name that it declares.
var declares = pattern.New(`\b(?:def|class|func|fn|function|interface|struct|enum|trait|impl|module|namespace|type|sub|proc|object|record|message|service|CREATE\s+(?:OR\s+REPLACE\s+)?(?:TABLE|VIEW|FUNCTION|PROCEDURE|INDEX))\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$.:!?]*)`)

// calls matches a name before a bracket, which is how languages like C declare functions, and variables that hold
// functions.
var calls = pattern.New(`(?:\b(?:const|let|var|export)\s+([A-Za-z_$][\w$]*)\s*[=:])|([A-Za-z_~][\w:~$]*)\s*\([^;]*$`)

// notNames are words before a bracket that declare nothing.
var notNames = setOf("if for while switch return catch else elif do try with match until unless when assert print sizeof and or not in")

// blockOf returns the chunk of some lines.
func blockOf(text string, lines []line, from, to int) Chunk {
	for to > from+1 && lines[to-1].indent < 0 {
		to--
	}
	c := Chunk{Kind: Block, Start: from + 1, End: to, From: lines[from].from, To: lines[to-1].to}
	for _, l := range lines[from:to] {
		s := strings.TrimSpace(text[l.from:l.to])
		if s == "" || isComment(s) || strings.HasPrefix(s, "@") {
			continue
		}
		if len(s) > 400 {
			s = s[:400]
		}
		if m := declares().FindStringSubmatch(s); m != nil {
			c.Name, c.signature = m[1], s
			break
		}
		if m := calls().FindStringSubmatch(s); m != nil {
			if name := m[1] + m[2]; !notNames[name] && l.indent == lines[from].indent {
				c.Name, c.signature = name, s
				break
			}
		}
	}
	return c
}

func isComment(s string) bool {
	for _, p := range []string{"//", "#", "/*", "*", "--", ";;", "<!--", `"""`} {
		if strings.HasPrefix(s, p) && !strings.HasPrefix(s, "#include") && !strings.HasPrefix(s, "#define") {
			return true
		}
	}
	return false
}

// cutSections cuts a text at its headings.
func cutSections(text string) []Chunk {
	lines := linesOf(text)
	var all []Chunk
	from, name, fenced := 0, "", false
	flush := func(to int) {
		for at := from; at < to; at += maxLines {
			c := blockOf(text, lines, at, min(at+maxLines, to))
			c.Kind, c.Name, c.signature = Section, name, ""
			if strings.TrimSpace(text[c.From:c.To]) != "" {
				all = append(all, c)
			}
		}
	}
	for i, l := range lines {
		s := text[l.from:l.to]
		if strings.HasPrefix(strings.TrimSpace(s), "```") {
			fenced = !fenced
		}
		if !fenced && (strings.HasPrefix(s, "#") || strings.HasPrefix(s, "= ")) {
			flush(i)
			from, name = i, strings.TrimSpace(strings.TrimLeft(s, "#= "))
		}
	}
	flush(len(lines))
	return all
}
