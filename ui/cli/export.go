package cli

import (
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"strings"
	"time"

	"ocaptain/fleet/telemetry/usage"

	"github.com/spf13/cobra"
	"golang.org/x/net/http/httpguts"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/telemetry"
	"ocaptain/ui/words"
)

// headersVariable holds headers for an export. The variable of OpenTelemetry itself may be meant for another
// collector.
const headersVariable = "OCAPTAIN_EXPORT_HEADERS"

func exportCmd(b *bridge) *cobra.Command {
	var asCSV, asJSON bool
	var endpoint, headerFile string
	var headers []string
	cmd := &cobra.Command{
		Use:         "export [VOYAGE]",
		Annotations: map[string]string{goesOut: "with `--otlp`: what the agents of a voyage, or programs of this machine, measured of themselves, as it came, to the collector that you name"},
		Short:       "Print the sums of received telemetry, or send all of it to a collector",
		Long: `Print what the agents of a voyage used by ship, role, task, model and hour, or send all that they measured of themselves to a
collector of OpenTelemetry; without a voyage, the same of other programs of this machine: ocaptain help telemetry

The value of a header is a secret, as a rule. Put it into a file of lines NAME=VALUE, or into ` + headersVariable + ` as NAME=VALUE,NAME=VALUE;
what is on the command line can be seen by other users.`,
		Example: `ocaptain export voyage-3f9a --csv > use.csv
ocaptain export --otlp https://collector.example:4318 --header-file ~/.config/collector`,
		Args:              wantArgs("[VOYAGE]"),
		ValidArgsFunction: b.completeVoyages,
		RunE: func(cmd *cobra.Command, args []string) error {
			if chosen := [3]bool{asCSV, asJSON, endpoint != ""}; chosen != [3]bool{true} && chosen != [3]bool{1: true} && chosen != [3]bool{2: true} {
				return usageError("say one of --csv, --json and --otlp URL")
			}
			name, dir := usage.Local, telemetry.LocalDir(b.hub.State)
			if len(args) > 0 {
				d, err := b.voyage(args[0])
				if err != nil {
					return err
				}
				name, dir = d.ID(), d.Telemetry()
			}
			if endpoint == "" {
				if headerFile != "" || len(headers) > 0 {
					return usageError("--header and --header-file are for --otlp")
				}
				sums, err := telemetry.Load(dir)
				if err != nil {
					return err
				}
				if asCSV {
					return writeCSV(b.raw, name, sums.Rows())
				}
				return printJSON(b.raw, exported{name, sums.Rows(), sums.Count()})
			}
			h, err := b.exportHeaders(headers, headerFile)
			if err != nil {
				return err
			}
			x, err := telemetry.NewExporter(endpoint, h)
			if err != nil {
				return usageError("--otlp: %w", err)
			}
			n, err := x.ExportDir(cmd.Context(), dir)
			fmt.Fprintf(b.err, "%s sent\n", words.Counted(n, "export"))
			return err
		},
	}
	f := cmd.Flags()
	f.BoolVar(&asCSV, "csv", false, "print the sums as CSV")
	jsonFlag(cmd, &asJSON, reflect.TypeFor[exported]())
	f.StringVar(&endpoint, "otlp", "", "send all data to the collector at this URL, by OTLP over HTTP")
	f.StringArrayVar(&headers, "header", nil, "header NAME=VALUE for the collector; may be repeated")
	f.StringVar(&headerFile, "header-file", "", "file of headers, one NAME=VALUE a line")
	return cmd
}

// exported is the JSON of an export.
type exported struct {
	Voyage string      `json:"voyage"`
	Rows   []usage.Row `json:"rows"`
	Count  usage.Count `json:"count"`
}

// exportHeaders collects the headers of all sources. Its errors quote no values.
func (b *bridge) exportHeaders(given []string, file string) (http.Header, error) {
	var all []string
	for _, kv := range b.environ {
		if text, ok := strings.CutPrefix(kv, headersVariable+"="); ok && text != "" {
			all = append(all, strings.Split(text, ",")...)
		}
	}
	if file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, usageError("--header-file: %w", err)
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" {
				all = append(all, line)
			}
		}
	}
	h := http.Header{}
	for i, kv := range append(all, given...) {
		name, value, ok := strings.Cut(kv, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, usageError("header %d must be NAME=VALUE, as HTTP allows them", i+1)
		}
		h.Set(name, value)
	}
	return h, nil
}

// writeCSV writes rows under a line of names. Amounts of money are in US dollars, times in seconds.
func writeCSV(w io.Writer, voyage string, rows []usage.Row) error {
	c := csv.NewWriter(w)
	records := [][]string{{
		"voyage", "hour", "ship", "role", "task", "model", "input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens",
		"cost_usd", "unpriced_tokens", "active_s", "user_s", "lines_added", "lines_removed", "sessions", "commits", "pull_requests", "requests", "request_cost_usd",
		"request_errors", "tools", "tool_errors",
	}}
	for _, r := range rows {
		hour := ""
		if r.Hour != 0 {
			hour = time.Unix(r.Hour, 0).UTC().Format(time.RFC3339)
		}
		t := r.Totals
		record := []string{tableText(voyage), hour, tableText(r.Ship), tableText(r.Role), tableText(r.Task), tableText(r.Model)}
		for _, v := range []any{
			t.Tokens.Input, t.Tokens.Output, t.Tokens.CacheRead, t.Tokens.CacheCreation, t.Cost.Dollars(), t.Unpriced, t.Active.Seconds(), t.User.Seconds(),
			t.LinesAdded, t.LinesRemoved, t.Sessions, t.Commits, t.PullRequests, t.Requests, t.RequestCost.Dollars(), t.RequestErrors, t.Tools, t.ToolErrors,
		} {
			record = append(record, fmt.Sprint(v))
		}
		records = append(records, record)
	}
	return c.WriteAll(records)
}

// tableText returns text that a spreadsheet does not take for a formula.
func tableText(text string) string {
	text = clean.Line(text)
	if strings.HasPrefix(text, "=") || strings.HasPrefix(text, "+") || strings.HasPrefix(text, "-") || strings.HasPrefix(text, "@") {
		return "'" + text
	}
	return text
}
