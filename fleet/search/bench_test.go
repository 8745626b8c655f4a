package search

import (
	"context"
	"flag"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkIndex measures the throughput of indexing.
func BenchmarkIndex(b *testing.B) {
	files, _ := corpus(b, asked...)
	for b.Loop() {
		x, size := indexOf(files)
		b.SetBytes(int64(size))
		if x.live == 0 {
			b.Fatal("there is nothing in it")
		}
	}
}

// BenchmarkFind searches ten chunks in some 10,000 functions, and reports the 99th percentile.
func BenchmarkFind(b *testing.B) {
	files, questions := corpus(b, asked[:4]...)
	x, _ := indexOf(files)
	functions := 0
	for _, c := range x.chunks {
		if c.Kind == Function || c.Kind == Method {
			functions++
		}
	}
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		begin := time.Now()
		x.Find(questions[i%len(questions)].text, 10, nil)
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(functions), "functions")
}

var histories = flag.String("search.histories", "", "repositories, with commas between them, for BenchmarkHistory")

// BenchmarkHistory searches with the subjects of commits for the files that they changed, and reports the recall among ten files: of
// the search, and of git grep, where files with the most different words of the subject come first.
func BenchmarkHistory(b *testing.B) {
	if *histories == "" {
		b.Fatal("name repositories with -search.histories")
	}
	for b.Loop() {
		var asked, found, grepped float64
		for dir := range strings.SplitSeq(*histories, ",") {
			n, f, g := history(b, dir)
			b.Logf("%s: %.0f commits, recall@10 %.3f, git grep %.3f", dir, n, f/n, g/n)
			asked, found, grepped = asked+n, found+f, grepped+g
		}
		b.ReportMetric(found/asked, "recall@10")
		b.ReportMetric(grepped/asked, "git-grep-recall@10")
	}
}

// history sums up the recall over the newest 300 commits that changed one to ten files which still exist.
func history(b *testing.B, dir string) (asked, found, grepped float64) {
	tree, err := Open(b.Context(), dir)
	if err != nil {
		b.Fatal(err)
	}
	defer tree.Close()
	if err := tree.Refresh(b.Context()); err != nil {
		b.Fatal(err)
	}
	out, err := runGit(b.Context(), dir, "log", "--no-merges", "--format=%x00%s", "--name-only", "-n", "2000")
	if err != nil {
		b.Fatal(err)
	}
	for commit := range strings.SplitSeq(string(out), "\x00") {
		lines := strings.Split(strings.TrimSpace(commit), "\n")
		want := map[string]bool{}
		for _, name := range lines[1:] {
			if name != "" && tree.files[name].taken {
				want[name] = true
			}
		}
		if len(want) == 0 || len(want) > 10 || asked == 300 {
			continue
		}
		asked++
		found += recall(want, tree.filesFor(lines[0]))
		grepped += recall(want, grepFor(b.Context(), dir, lines[0]))
	}
	return asked, found, grepped
}

func recall(want map[string]bool, got []string) (n float64) {
	for _, name := range got {
		if want[name] {
			n++
		}
	}
	return n / float64(len(want))
}

// filesFor returns the files of the best chunks, at most ten.
func (t *Tree) filesFor(query string) (names []string) {
	hits, _ := t.index.Find(query, 200, nil)
	for _, h := range hits {
		if len(names) < 10 && !slices.Contains(names, h.File) {
			names = append(names, h.File)
		}
	}
	return names
}

// grepFor returns the ten files with the most different words of a query.
func grepFor(ctx context.Context, dir, query string) []string {
	has := map[string]int{}
	for _, w := range strings.FieldsFunc(query, func(r rune) bool { return r < 'A' && r != '-' || r > 'z' }) {
		if len(w) < 3 || stopWords[strings.ToLower(w)] {
			continue
		}
		out, _ := exec.CommandContext(ctx, "git", "-C", dir, "grep", "-c", "-i", "-F", "-e", w).Output()
		for line := range strings.Lines(string(out)) {
			if i := strings.LastIndexByte(line, ':'); i >= 0 {
				n, _ := strconv.Atoi(strings.TrimSpace(line[i+1:]))
				has[line[:i]] += 1_000_000 + min(n, 10_000)
			}
		}
	}
	names := make([]string, 0, len(has))
	for name := range has {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if has[a] != has[b] {
			return has[b] - has[a]
		}
		return strings.Compare(a, b)
	})
	return names[:min(10, len(names))]
}
