package redact

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// An address is found by its number. The number is followed by "号" or a similar character. A street, an estate or a village
// precedes it. From there it is extended to the left over provinces, cities and districts, and to the right over
// buildings, units and rooms. Places alone ("浙江省杭州市", "南京路") are not addresses.

const hanNumbers = hanDigits + "十百千两拾佰廿卅"

// numerals is the set of hanNumbers.
var numerals = sync.OnceValue(func() *runeSet {
	var set runeSet
	for _, r := range hanNumbers {
		set.add(r)
	}
	return &set
})

// roads are the endings of street names; noRoads are words with these endings that are not streets.
var roads = []string{"路", "街", "大道", "道", "巷", "弄", "胡同", "里", "村", "段", "条", "支路"}

var noRoads = []string{"线路", "电路", "铁路", "公路", "网路", "马路", "走路", "半路", "思路", "上路", "多路", "道路", "出路", "迷路", "回路", "套路", "路路", "这路", "那路", "哪路",
	"赛道", "跑道", "频道", "隧道", "通道", "管道", "渠道", "味道", "知道", "报道", "泳道", "车道", "轨道", "难道", "街道", "这里", "那里", "哪里", "家里", "心里", "公里", "英里", "海里", "群里", "手里", "夜里", "屋里",
	"阶段", "时段", "片段", "手段", "路段", "条条", "条路", "条街", "条道", "逛街", "这条", "那条",
	"农村", "本村", "全村", "各村", "每村", "该村", "这村", "那村", "进村", "出村", "回村", "驻村", "下村"}

// noEstates are words with the endings of estates that are no names.
var noEstates = []string{"医院", "学院", "法院", "影院", "剧院", "公园", "校园", "大学", "中学", "小学", "工厂", "社区", "校区", "园区", "市区", "城区", "地区", "片区", "商城", "全城", "邻居", "大院", "小院", "山庄", "老城", "新城",
	"这里", "那里", "哪里", "家里", "院里", "城里", "屋里", "群里", "国道", "马路", "公路", "铁路", "套路", "逛街"}

// estates are the endings of names of building groups.
var estates = []string{"小区", "花园", "家园", "公寓", "新村", "宿舍", "大厦", "广场", "中心", "苑", "府", "城", "湾", "里", "院", "园", "庭", "轩", "庄", "寓", "村", "邸", "墅", "坊", "郡", "居", "弄", "号", "路", "街", "区", "学", "厂"}

// towers are the endings before 座 and 室, and villages those before 组.
var (
	towers   = []string{"村", "社", "大厦", "广场", "中心", "公寓", "小区", "花园", "家园", "新村", "国际", "苑", "府", "湾", "庭", "轩", "邸", "墅", "郡"}
	villages = []string{"村", "社"}
)

// address handles "号", "栋" and similar characters at i.
func (c *scanner) address(i int) bool {
	_, size := utf8.DecodeRuneInString(c.s[i:])
	next := i + size
	unit := c.s[i:next]
	n := c.skipBack(i, " ", 1)
	start := c.numeral(n)
	if start == n {
		return false
	}
	name := c.skipBack(c.skipBack(start, "第甲乙丙丁", 1), " ", 1)
	after := c.after(next, 6)
	switch unit {
	case "#":
		if !is(c.next(next), digit) && prefix(after, "楼", "樓", "单元") == 0 {
			return false
		}
		unit = "栋"
	case "单", "單":
		unit, next = "室", next+len("元")
		after = c.after(next, 6)
	case "組":
		unit = "组"
	}
	if (unit == "号" || unit == "號") && prefix(after, "门口", "门前", "门面", "门店", "门牌", "门市", "店铺") == 0 && prefix(after, "线", "口", "店", "机", "车", "桌", "门", "选手", "位", "球", "字", "文") > 0 {
		return false
	}
	if unit == "巷" && prefix(after, "口", "子", "战", "道") > 0 {
		return false
	}
	building := prefix(after, "楼", "樓") > 0
	if !building && (unit == "号" || unit == "號") && c.hasRoom(next) { // 曹杨新村5号302室
		if from := c.place(name, next, "栋", false); from >= 0 {
			return c.add(Address, c.extendLeft(from), c.extendRight(next))
		}
	}
	from := c.place(name, next, unit, building)
	if from < 0 && (building || unit == "栋" || unit == "棟" || unit == "幢" || unit == "座") {
		if k := c.zone(name); k < name { // 翠苑小区8区5幢
			from = c.place(k, next, "栋", false)
		}
		if from < 0 && c.hasRoom(next) { // 阳光小区（9栋501）
			if k := c.skipBack(name, "，,（(", 1); k < name {
				from = c.place(c.zone(k), next, "栋", false)
			}
		}
	}
	if from < 0 && (building || unit == "栋" || unit == "棟" || unit == "幢") {
		from = c.plainEstate(name, next)
	}
	return from >= 0 && c.add(Address, c.extendLeft(from), c.extendRight(next))
}

// roomNumber matches a building, a unit and a room after the name of an estate: 金色家园20-3-302, 阳光花园5-302.
func (c *scanner) roomNumber() bool {
	g := &c.g
	last := g.n - 1
	if last < 1 || last > 2 || g.sizes[0] > 2 || g.sizes[last] < 3 || g.sizes[last] > 4 || g.seps[1] != '-' || last == 2 && (g.sizes[1] > 2 || g.seps[2] != '-') || c.prev(g.start) < utf8.RuneSelf {
		return false
	}
	end := g.end(last)
	unit := "栋"
	if last == 1 {
		unit = "室"
	}
	from := c.place(g.start, end, unit, false)
	return from >= 0 && c.validAfter(end) && !c.isAmount(g.start, end) && c.add(Address, c.extendLeft(from), end)
}

// hasRoom reports whether the number of a room or a unit is at i: 501, 302室, 2单元.
func (c *input) hasRoom(i int) bool {
	i += prefix(c.s[i:], "楼", "樓")
	at := c.skip(i, " -", 1)
	k := c.run(at, digit, 5)
	return k-at >= 3 && k-at <= 4 && !is(c.next(k), wordChar) && !c.isAmount(k, k) || k > at && prefix(c.s[k:], "室", "单元", "單元") > 0
}

// zone returns the start of the number of a zone or a phase that ends at i, or i: 8区, 二期, (二期).
func (c *input) zone(i int) int {
	at := i
	if hasSuffix(c.before(i, 6), "东区", "西区", "南区", "北区", "中区", "東區", "西區", "南區", "北區") {
		return i - len("东区")
	}
	closed := c.skipBack(at, ")）", 1)
	if r, size := utf8.DecodeLastRuneInString(c.s[:closed]); r == '区' || r == '期' || r == '區' {
		n := c.back(closed-size, digit, 2)
		if n == closed-size {
			n = c.skipBack(n, hanNumbers, 2)
		}
		if n < closed-size {
			if at = n; closed < i {
				at = c.skipBack(n, "(（", 1)
			}
			return c.skipBack(at, "第", 1)
		}
	}
	return i
}

// numeral returns the start of a number that ends at n. It has digits, letters and '-', or Chinese numerals.
func (c *input) numeral(n int) int {
	start := c.back(n, digit|letter, 5)
	if start < n {
		if c.prev(start) == '-' && start > 1 && is(c.s[start-2], digit) {
			start = c.back(start-1, digit, 5)
		}
		if is(c.prev(start), wordChar) {
			return n
		}
		return start
	}
	for range 7 {
		r, size := utf8.DecodeLastRuneInString(c.s[:n])
		if !numerals().has(r) {
			break
		}
		n -= size
	}
	return n
}

// place returns the start of the name of a street, an estate or a village that ends at i, or -1. Its unit ends at next.
func (c *input) place(i, next int, unit string, building bool) int {
	w := c.before(i, 36)
	if w == "" {
		return -1
	}
	list := roads
	switch {
	case unit == "组":
		list = villages
	case unit == "室" || unit == "座" && !building:
		if list = towers; unit == "座" && !is(c.next(i), letter) && !c.hasRoom(next) {
			list = towers[:6] // "花园3座喷泉"
		}
	case building || unit != "号" && unit != "號" && unit != "弄" && unit != "巷":
		list = estates
	}
	if r, size := utf8.DecodeLastRuneInString(w); strings.ContainsRune("中东西南北東", r) && hasSuffix(w[:len(w)-size], "大道", "路") {
		w, i = w[:len(w)-size], i-size // 皇后大道中
	}
	tail := ""
	for _, r := range list {
		if strings.HasSuffix(w, r) && len(r) > len(tail) {
			tail = r
		}
	}
	if tail == "" {
		return -1
	}
	for _, no := range noRoads {
		if strings.HasSuffix(w, no) && no != tail {
			return -1
		}
	}
	start := i - len(tail)
	for n := 0; n < 6 && start > i-len(w); n++ {
		r, size := utf8.DecodeLastRuneInString(c.s[:start])
		if r == '家' && c.isSurname(start-size) {
			r = 0x4E00
		}
		if !isHan(r) || strings.ContainsRune(noName, r) || strings.ContainsRune("省市区县镇乡區縣鎮鄉", r) && n > 0 || r == '道' && strings.HasSuffix(c.s[:start-size], "街") {
			break
		}
		start -= size
	}
	c.work += i - start
	if own := i - len(tail) - start; own < 3 || c.s[start:i] == "一路" || slices.Contains(noEstates, c.s[start:i]) || own == 3 && (tail == "里" || tail == "条" || tail == "段" || tail == "城" || tail == "区" || tail == "学") {
		return -1
	}
	return start
}

// isSurname reports whether the character before i is a name before 家: 张家村, but not 我家.
func (c *input) isSurname(i int) bool {
	r, _ := utf8.DecodeLastRuneInString(c.s[:i])
	return isHan(r) && !strings.ContainsRune("我你他她它们咱俩爸妈爷奶舅姑姨婆哥姐弟妹友老大新自全人国本回搬到在离住是寄送去给", r)
}

// plainEstate returns the start of the name of an estate without one of the endings, which ends at i, or -1. A building ends at
// next. After the name of a place, a unit or a room needs to follow ("武侯区锦绣江南2栋1309室"), and otherwise both.
func (c *input) plainEstate(i, next int) int {
	at := next + prefix(c.s[next:], "楼")
	k := c.run(at, digit, 4)
	unit := prefix(c.s[k:], "单元", "單元")
	room := k
	if unit > 0 {
		room = c.run(k+unit, digit, 4)
	}
	hasRoom := room-(k+unit) >= 3 || unit == 0 && k-at >= 3
	if k == at || unit == 0 && !hasRoom || strings.HasPrefix(c.s[k+unit:], "分") {
		return -1
	}
	start, n := i, 0
	for ; n < 8 && start > 0; n++ {
		r, size := utf8.DecodeLastRuneInString(c.s[:start])
		if !isHan(r) || strings.ContainsRune(noName+placeEnds, r) {
			break
		}
		start -= size
	}
	c.work += i - start
	name := c.s[start:i]
	if r, _ := utf8.DecodeLastRuneInString(c.s[:start]); n >= 2 && strings.ContainsRune(placeEnds, r) {
		return start
	}
	if n < 3 || !hasRoom || unit == 0 && prefix(c.s[k:], "室", "房") == 0 || containsFold(name, "下午", "上午", "中午", "今天", "明天", "昨天", "晚上", "早上", "这", "那") || unit == 0 && strings.ContainsAny(name, "午晚早今明昨前后上下这那哪们第号楼校期") || hasSuffix(name, estates...) {
		return -1
	}
	return start
}

const placeEnds = "省市区县镇乡區縣鎮鄉"

// noName are characters that occur before names but not in them.
const noName = "们第个在住到是去我你他她它的了于址寄往从给等回家跟搬找过就离送邮发叫说"

// extendLeft returns the start of the provinces, cities, districts and towns before i.
func (c *input) extendLeft(i int) int {
	start, at := i, i
	for level := 0; level < 5; level++ {
		gap := c.skipBack(at, " ", 1)
		if strings.HasSuffix(c.s[:gap], "街道") {
			gap -= len("道")
		}
		r, size := utf8.DecodeLastRuneInString(c.s[:gap])
		limit, autonomous := 7, hasSuffix(c.s[:gap], "自治州", "自治县", "自治区", "自治旗", "自治縣", "自治區")
		if autonomous {
			limit = 14
		}
		if !strings.ContainsRune("省市区县镇乡州盟旗村街區縣鎮鄉", r) || r == '街' && c.s[gap:at] == "" || r == utf8.RuneError {
			break
		}
		k, n := gap-size, 0
		for ; n < limit && k > 0; n++ {
			r, size := utf8.DecodeLastRuneInString(c.s[:k])
			if !isHan(r) || strings.ContainsRune(noName, r) && !(autonomous && r == '家') || n > 0 && strings.ContainsRune("省市区县镇乡州盟旗區縣鎮鄉", r) {
				break
			}
			k -= size
		}
		c.work += gap - k
		if n == 0 {
			break
		}
		start, at = k, k
	}
	for range 2 { // "浙江杭州" and "香港九龍" without 省 and 市
		at := c.skipBack(start, " ", 1)
		over := at // a name of a street may have taken the last character
		if _, size := utf8.DecodeRuneInString(c.s[at:]); size == 3 && at == start {
			over += size
		}
		from := at
		if !c.endsPlace(at) && !c.endsPlace(over) {
			break
		}
		for _, p := range bigPlaces {
			if strings.HasSuffix(c.s[:at], p) {
				from = at - len(p)
			} else if strings.HasSuffix(c.s[:over], p) {
				from = over - len(p)
			}
		}
		if from == at {
			break
		}
		start = from
	}
	return start
}

// endsPlace reports whether one of bigPlaces may end at i.
func (c *input) endsPlace(i int) bool {
	r, _ := utf8.DecodeLastRuneInString(c.s[:i])
	return strings.ContainsRune("港門门湾灣龍龙界角島北雄中京海津庆慶江苏东建西南川徽宁林疆藏古州圳汉都安岛沙肃夏波", r)
}

// bigPlaces are places that are often named without 省 or 市 before a street.
var bigPlaces = []string{"香港", "澳門", "澳门", "台湾", "臺灣", "台灣", "九龍", "九龙", "新界", "旺角", "港島", "台北", "臺北", "高雄", "台中", "北京", "上海", "天津", "重庆", "重慶", "浙江", "江苏", "广东", "福建", "山东", "山西", "河南", "河北", "湖南", "湖北", "四川",
	"江西", "安徽", "辽宁", "吉林", "黑龙江", "云南", "贵州", "广西", "陕西", "甘肃", "青海", "宁夏", "新疆", "西藏", "海南", "内蒙古", "杭州", "南京", "苏州", "广州", "深圳", "武汉", "成都", "西安", "青岛", "厦门", "宁波", "长沙", "郑州"}

// extendRight returns the end of the buildings, units, floors and rooms after i.
func (c *input) extendRight(i int) int {
	end := c.skip(i, "甲乙丙丁", 1)
	unit := !hasSuffix(c.s[:i], "号", "號") // a building or a floor came last
	for range 6 {
		at := c.skip(end, " ，,、·/（()）", 2)
		if k := c.building(at); k > at {
			end = k
			continue
		}
		dash, branch := at, false
		if c.next(at) == '-' || c.next(at) == '#' {
			dash++
		} else if strings.HasPrefix(c.s[at:], "附") || strings.HasPrefix(c.s[at:], "之") {
			dash, branch = dash+len("附"), true
		}
		k := c.run(dash, alnumChar, 6)
		if k == dash {
			k = c.skip(dash, hanNumbers, 5)
		}
		if k == dash {
			break
		}
		u := prefix(c.s[k:], "号楼", "號樓", "号院", "号", "號", "弄", "巷", "栋", "棟", "幢", "座", "单元", "單元", "室", "楼", "樓", "层", "層", "房", "户", "戶", "门", "铺", "铺", "鋪")
		number := dash
		if unit && is(c.s[dash], letter) && is(c.next(dash+3), digit) { // B631
			number++
		}
		bare := is(c.s[number], digit) && k-number <= 4 && !is(c.next(k), wordChar) || !is(c.s[dash], alnumChar) && (k-dash >= 9 || branch) // 501, 三零一 or 之三
		if !bare || c.isAmount(k, k) || at != end && !(unit && at == end+1 && k-at > 2) {
			if u == 0 {
				break
			}
		}
		unit = u > 0 || k > dash && c.s[k-1] == 'F'
		if end = k + u; c.next(end) == '#' {
			end++
		}
	}
	return end
}

// building returns the end of a building name at i, or i. A name has up to eight Chinese characters with a typical
// ending, and letters. Directly after 号 it needs no ending if the number of a building follows. It also accepts the "楼" of "号楼" and the "院" of "号院".
func (c *input) building(i int) int {
	if n := prefix(c.s[i:], "楼", "樓", "院", "大院", "小区", "底商", "附楼", "主楼", "裙楼", "东单元", "西单元", "中单元"); n > 0 {
		return i + n
	}
	w := c.after(i, 30)
	han := 0
	for _, r := range w {
		if !isHan(r) && (r >= utf8.RuneSelf || !is(byte(r), letter)) || strings.ContainsRune(noName, r) && r != '家' {
			break
		}
		han += utf8.RuneLen(r)
	}
	w = w[:min(han, 24)]
	end := i
	long := func(tail string, k int) bool { // "苑" in "翠苑小区" is part of the name
		return k > 0 && (end == i || i+k+len(tail) < end || i+k == end)
	}
	for _, tail := range [...]string{"苑", "大厦", "广场", "公寓", "小区", "花园", "写字楼", "科技园", "家园"} {
		if k := strings.Index(w, tail); long(tail, k) {
			end = i + k + len(tail)
		}
	}
	for _, tail := range [...]string{"中心", "大楼", "城", "国际", "新村", "佳园"} { // only before a number: "现代城A座"
		if k := strings.Index(w, tail); end == i && k > 0 && is(c.next(i+k+len(tail)), alnumChar) {
			return i + k + len(tail)
		}
	}
	if end == i && len(w) >= 2*3 && hasSuffix(c.s[:i], "号", "號") && c.isBuildingNumber(i+len(w)) {
		return i + len(w)
	}
	return end
}

// isBuildingNumber reports whether the number at i is that of a building: 2栋, 16号楼 or 10-1-558.
func (c *input) isBuildingNumber(i int) bool {
	k := c.run(i, digit, 3)
	if prefix(c.s[k:], "栋", "棟", "幢", "号楼", "號樓") > 0 {
		return true
	}
	if c.next(k) != '-' {
		return false
	}
	e := c.run(k+1, digit, 3)
	return e > k+1 && c.next(e) == '-' && is(c.next(e+1), digit)
}
