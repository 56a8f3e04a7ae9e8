package outside

import (
	"flag"
	"math"
	"strconv"
	"strings"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/persona/models"
)

// Prices are the flag -price: what a million tokens of a model cost. Without one no cost is shown.
type Prices struct{ models.Prices }

// Flags defines the flag.
func (p *Prices) Flags(f *flag.FlagSet) {
	f.Func("price", "`MODEL=PROMPT/CACHED/ANSWER`: prices of a million tokens of prompts, of prompts from the provider's cache and of answers, in your currency, such as NAME=2/0.2/3; without the second, cached ones cost the same; may be repeated. The pages of -http and the log's last line then show the cost", func(s string) error {
		name, price, err := parsePrice(s)
		if err != nil {
			return err
		}
		if _, twice := p.Prices[name]; twice {
			return lang.Errorf("%s 的单价写了两次", "the price of %s is there twice", name)
		}
		if p.Prices == nil {
			p.Prices = models.Prices{}
		}
		p.Prices[name] = price
		return nil
	})
}

// parsePrice parses a value of the flag. The name may contain an equals sign.
func parsePrice(s string) (name string, p models.Price, err error) {
	i := strings.LastIndexByte(s, '=')
	if i <= 0 {
		return "", p, lang.Errorf("%q 要写成 模型=提示词/缓存/回答，例如 NAME=2/0.2/3", "%q must have the form MODEL=PROMPT/CACHED/ANSWER, such as NAME=2/0.2/3", s)
	}
	name = strings.TrimSpace(s[:i])
	parts := strings.Split(s[i+1:], "/")
	if len(parts) == 2 {
		parts = []string{parts[0], parts[0], parts[1]}
	}
	if len(parts) != 3 || name == "" {
		return "", p, lang.Errorf("%q 要写成 模型=提示词/缓存/回答，例如 NAME=2/0.2/3", "%q must have the form MODEL=PROMPT/CACHED/ANSWER, such as NAME=2/0.2/3", s)
	}
	for i, to := range []*float64{&p.Prompt, &p.Cached, &p.Answer} {
		*to, err = strconv.ParseFloat(strings.TrimSpace(parts[i]), 64)
		if err != nil || !(*to >= 0) || math.IsInf(*to, 0) {
			return "", p, lang.Errorf("%q 不是单价：写 0 或者正数", "%q is no price: a number of 0 or more", parts[i])
		}
	}
	return name, p, nil
}
