package costpage

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"ocaptain/fleet/telemetry/usage"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet/clean/cleantest"
	"ocaptain/fleet/cost"
)

// someData returns the data of two ships, one of which has a hostile name and model.
func someData() *Data {
	f := cost.Facts{}
	for i, ship := range []string{"ship-0", cleantest.Hostile} {
		f.Rows = append(f.Rows, usage.Row{
			Key:    usage.Key{Ship: ship, Role: "worker", Task: fmt.Sprint(i), Model: "model " + ship},
			Totals: usage.Totals{Cost: 1_500_000_000, Tokens: usage.Tokens{Input: 100, CacheRead: 900, Output: 50}},
		})
	}
	d := &Data{Flows: map[string][]int64{}, All: make([]int64, minutes)}
	d.Ships, d.Roles, d.Models, d.Tasks = cost.New(f, cost.Ship), cost.New(f, cost.Role), cost.New(f, cost.Model), cost.New(f, cost.Task)
	flow := make([]int64, minutes)
	for i := range flow {
		flow[i] = int64(i * i)
		d.All[i] = flow[i]
	}
	d.Flows["ship-0"] = flow
	return d
}

// Every row is as wide as the screen, at every size, and contains only text.
func TestRowsFit(t *testing.T) {
	for _, p := range []*Page{{}, {err: errors.New(cleantest.Hostile)}, {data: someData()}, {data: &Data{}}, {data: &Data{Off: true}}} {
		for width := 28; width < 220; width += 3 {
			rows := p.View(width, 20)
			if len(rows) != 20 {
				t.Fatalf("%d rows", len(rows))
			}
			for _, row := range rows {
				if ansi.StringWidth(row) != width || strings.ContainsAny(ansi.Strip(row), "\x1b\u202e\n") {
					t.Fatalf("at %d: %d cells: %q", width, ansi.StringWidth(row), row)
				}
			}
		}
	}
}

// The heading of the bars says how many minutes they cover, and names are told apart when there is room beside the numbers.
func TestNamesAndMinutes(t *testing.T) {
	d := someData()
	long := "claude-sonnet-4-5-20250929"
	d.Models.Rows[0].Name = long
	p := &Page{data: d}
	for width, minutes := range map[int]int{60: 0, 80: 30, 120: 30, 200: 60} {
		text := ansi.Strip(strings.Join(p.View(width, 40), "\n"))
		_, row, _ := strings.Cut(text, "ship-0")
		row, _, _ = strings.Cut(row, "\n")
		if bars := strings.Count(row, "█") + strings.Count(row, "▁"); !strings.Contains(text, long) || bars == 0 {
			t.Errorf("at %d:\n%s", width, text)
		}
		if head := fmt.Sprintf("LAST %d MINUTES", minutes); minutes > 0 != strings.Contains(text, head) {
			t.Errorf("at %d there is no %q:\n%s", width, head, text)
		}
	}
}

// The page scrolls, and stays within its rows.
func TestScroll(t *testing.T) {
	p := &Page{}
	p.SetData(someData())
	top := strings.Join(p.View(80, 6), "\n")
	p.Bottom()
	bottom := strings.Join(p.View(80, 6), "\n")
	p.ScrollBy(1000)
	if further := strings.Join(p.View(80, 6), "\n"); top == bottom || further != bottom {
		t.Errorf("the bottom is\n%s\nand further\n%s", bottom, further)
	}
	p.Top()
	if again := strings.Join(p.View(80, 6), "\n"); again != top {
		t.Errorf("back at the top:\n%s", again)
	}
}
