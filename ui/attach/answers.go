package attach

import (
	"bytes"
	"strings"
)

// withoutAnswers returns typed bytes without what the terminal itself sent: answers to questions,
// and reports of the mouse, the focus and the like.
func withoutAnswers(b []byte) []byte {
	var keys []byte
	for len(b) > 0 {
		n := 0
		if b[0] == 0x1b {
			n = anAnswer(b)
		}
		if n > 0 {
			b = b[n:]
			continue
		}
		n = 1
		if bytes.HasPrefix(b, []byte(pasteBegin)) {
			if n = bytes.Index(b, []byte(pasteEnd)); n < 0 {
				n = len(b)
			}
		}
		keys, b = append(keys, b[:n]...), b[n:]
	}
	return keys
}

// anAnswer returns the length of an answer at the beginning of b, 0 for a key.
func anAnswer(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '[':
		return controlAnswer(b)
	case 'P', ']', '_', '^', 'X':
		// Without an end, it is alt with a key, not an answer.
		for i := 2; i < len(b); i++ {
			switch {
			case b[i] == 0x07:
				return i + 1
			case b[i] == 0x1b && i+1 < len(b) && b[i+1] == '\\':
				return i + 2
			case b[i] < ' ':
				return 0
			}
		}
	}
	return 0
}

// controlAnswer is anAnswer for control sequences.
func controlAnswer(b []byte) int {
	end := 2
	for end < len(b) && b[end] >= ' ' && b[end] < '@' {
		end++
	}
	if end == len(b) {
		return 0
	}
	params, last := string(b[2:end]), b[end]
	switch {
	case last == 'M' && params == "": // an old form of mouse report
		return min(len(b), end+4)
	case strings.IndexAny(params, "<=>?") == 0, strings.IndexByte("cntxyIOM", last) >= 0:
		return end + 1
	case last == 'R' && !functionKey(params):
		return end + 1
	}
	return 0
}

// functionKey reports whether params are the parameters of F3 with modifiers, and not of a cursor report from the
// left of the first line.
func functionKey(params string) bool {
	mods, ok := strings.CutPrefix(params, "1;")
	return params == "" || ok && (len(mods) == 1 || len(mods) == 2 && mods[0] == '1')
}

// noteBegunAnswer returns the bytes that may begin an answer which ends after the visit.
func noteBegunAnswer(begun, b []byte) []byte {
	const longest = 1024
	if i := bytes.LastIndexByte(b, 0x1b); i >= 0 {
		begun, b = begun[:0], b[i:]
	} else if len(begun) == 0 {
		return begun
	}
	if len(begun)+len(b) > longest {
		return begun[:0]
	}
	return append(begun, b...)
}

// withoutAnswerEnd returns rest without the end of an answer that begun started.
func withoutAnswerEnd(begun, rest []byte) []byte {
	if len(begun) == 0 {
		return rest
	}
	if n := anAnswer(append(bytes.Clone(begun), rest...)); n > len(begun) {
		return rest[n-len(begun):]
	}
	return rest
}
