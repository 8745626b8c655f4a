package config

import "testing"

// TestCaptainMaxCost: a repository's file can lower the captain's limit of cost, and not raise it.
func TestCaptainMaxCost(t *testing.T) {
	const said = "max_cost in captain.yaml is ignored"
	for _, tt := range []struct {
		own, file string
		named     bool
		want      float64
		ignored   string
	}{
		{"", "20", false, 20, ""},
		{"", "0", false, 0, said},
		{"max_cost: 10\n", "20", false, 10, said},
		{"max_cost: 10\n", "0", false, 10, said},
		{"max_cost: $10\n", "5", false, 5, ""},
		{"max_cost: 0\n", "5", false, 5, ""},
		{"max_cost: 10\n", "20", true, 20, ""},
		{"max_cost: 10\n", "0", true, 0, ""},
	} {
		file := readCaptain(t, "max_cost: "+tt.file+"\n", tt.named)
		c, err := Load(Sources{Dir: write(t, map[string]string{"config.yaml": tt.own}), Captain: file})
		if err != nil || c.MaxCost != tt.want || told(c) != tt.ignored {
			t.Errorf("own %q, file %q, named %v: $%g, %v, told %q", tt.own, tt.file, tt.named, c.MaxCost, err, told(c))
		}
	}
}
