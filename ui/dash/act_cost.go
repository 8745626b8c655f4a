package dash

import (
	"context"
	"fmt"
	"math"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet/helm/api"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/dash/costpage"
	"ocaptain/ui/dash/dialog"
)

// changeBudget asks for the voyage's budget.
func (m *Model) changeBudget() cmd { return m.askBudget(int(math.Ceil(m.v.board.Budget.Max))) }

// askBudget asks for the voyage's budget, and proposes an amount.
func (m *Model) askBudget(proposed int) cmd {
	b := m.v.board.Budget
	lines := []string{"Its agents have cost " + b.String() + ", by what they say themselves."}
	if b.IsReached() {
		lines = append(lines, "They begin nothing more until it may cost more.")
	}
	voyage := m.v.dir.ID()
	m.show(dialog.NewAsk("What may this voyage cost, in US dollars? 0 is any sum", lines, strconv.Itoa(proposed), func(text string) (tea.Cmd, error) {
		most, err := config.ParseSum(text)
		if err != nil {
			return nil, fmt.Errorf("it %w", err)
		}
		client := m.client
		return m.do("set the budget", func(ctx context.Context, _ func(api.Progress)) error {
			_, err := client.SetBudget(ctx, voyage, api.BudgetRequest{Max: most})
			return err
		}), nil
	}))
	return nil
}

// openCosts shows what the voyage costs.
func (m *Model) openCosts() cmd {
	m.pages.costs = &costpage.Page{}
	m.openPage(onCosts)
	return m.readCosts()
}

// readCosts reads the data of the cost page while the page is open: at first, and with each new board.
func (m *Model) readCosts() tea.Cmd {
	page := m.pages.costs
	if page == nil || m.place != onCosts {
		return nil
	}
	dir, board, now := m.v.dir, m.v.board, m.o.Now()
	return func() tea.Msg {
		data, err := costpage.Read(dir, board, now)
		return result(func(m *Model) cmd {
			switch {
			case m.pages.costs != page:
			case err != nil:
				page.SetError(err)
			default:
				page.SetData(data)
			}
			return nil
		})
	}
}
