// Package redact finds and masks PII (personally identifiable information) and secrets in text, mainly in Chinese formats. Use it for text
// that leaves the owner's control, such as results of tools, the owner's memories and screen contents.
//
//	var r redact.Redactor
//	r.Redact("我电话138 1234 5678，密码：hunter2") // 我电话[手机号]，密码：[密码]
//
// The zero [Redactor] finds 25 kinds of data ([Kinds]). [New] creates one that also finds the owner's own words (names, addresses,
// employers) and calls custom matchers:
//
//	r, err := redact.New(redact.Options{Words: []string{"张小满"}})
//
// [Redactor.Find] returns kinds and positions without values, for an audit log.
//
// # Normalization
//
// Redact searches a folded form of the text. Full-width, circled and other variants of letters and digits become plain ones. Greek and
// Cyrillic letters become the similar Latin ones. Zero-width characters and combining marks are removed. Escapes of JSON (\u624b), URLs
// (%40), HTML (&#49;) and Markdown (\_) are decoded.
//
// Numbers may contain blanks, hyphens, dots and Markdown marks between digits, also in full width. Mobile and ID card numbers may be in
// Chinese numerals (幺三八…, 壹叁捌…). Mobile numbers may contain the letters O and l for 0 and 1.
//
// # Detection
//
// Some data is found anywhere by format and check digit:
//
//   - mobile numbers (11 digits from 13 to 19), landlines and 400 numbers
//   - ID cards (GB 11643), bank cards (issuer prefix and Luhn) and social credit codes (GB 32100)
//   - license plates, email addresses (also with "(at)" or 艾特, and under Chinese domains), IP and MAC addresses
//   - JWTs, PEM private keys and the keys of common services, by prefix
//
// Other data is found by a keyword before or after it:
//
//   - passports, also foreign ones, travel permits, WeChat and QQ numbers
//   - verification codes, passwords and the values of Cookie and Authorization headers
//   - the numbers above, even with a wrong check digit
//   - numbers of 7 or 8 digits after 电话, 座机 and similar, and MAC addresses without separators
//
// The rest is found by context:
//
//   - user and password in URLs, unless they are variables or placeholders ($USER:$PASS, user:password)
//   - complete connection strings of databases: URLs, JDBC URLs, and pairs such as Server=…;Password=…
//   - passwords of mysql -p, sshpass -p and curl -u
//   - random values assigned to a key or token, also by 是, 为 or 係, or with 20 letters and digits directly after one. A random value
//     has at least 16 letters, digits and signs, with two digits between letters, or with letters of both cases in turns
//   - addresses with a street or an estate and a number, including place names, buildings and rooms around it
//
// # Keywords
//
// Chinese keywords are found in simplified and in traditional characters (验证码, 驗證碼), English ones and names in any case.
//
//   - Verification codes: 验证码, 认证码, 确认码, 校验码, 动态密码, 动态码, 动态口令, 短信码, 安全码, 登录码, 登入码, 登陆码, 寄件码, 核销码, 取件码, 取货码, 取餐码, 取票码, 取药码, 取单码, 提货码, 门禁码, 门禁密码, 门锁码,
//     门锁密码, 开门码, 开门密码, 开锁码, 开锁密码, 开柜码, 开箱码, otp, pin, captcha; code only after a word such as verification, security, login or your
//   - Passwords: 密码, 密匙, 口令, 提取码, 授权码, 访问码, 解压码, 解锁码, 通行码, password, passwd, passcode, passphrase, pwd, psw
//   - WeChat: 微信, 微❤, 微♥, 微号, 微：, 微:, 薇信, 薇号, 薇：, 薇:, 威信, 徽信, 维信, 葳信, 卫星号, 绿泡泡, 加微, 加薇, 加威, 加v, V信, V号, wechat, weixin, wx, vx
//   - QQ: 扣扣, 企鹅, 球球, 抠抠, 蔻蔻, qq, q, uin
//   - Passports: 护照, passport
//   - Travel permits: 通行证, 回乡证, 回乡卡, 返乡证, 台胞证, travel permit, return permit
//   - Local phone numbers of 7 or 8 digits: 电话, 座机, 固话, 传真, tel, telephone, phone, fax
//   - Secrets: 密钥, 秘钥, 金钥, 私钥, 令牌, 凭证, 凭据, token, key, secret, apikey, credential
//
// Names of fields, variables and XML tags announce a value after '=' or ':'. Other words may precede them (owner_qq, dbPassword), and '_'
// and '-' between their words are optional (verify_code, verifyCode):
//
//   - Verification codes: verifycode, verificationcode, smscode, otp, otpcode, captcha, captchacode, vcode, checkcode, securitycode, logincode, pickupcode, authcode, validcode, verify
//   - Passwords: password, passwd, passcode, passphrase, pass, pwd, psw, pw
//   - WeChat: wechat, wechatid, wechatno, wechataccount, weixin, weixinid, weixinhao, wx, wxid, wxno, vx
//   - QQ: qq, qqnumber, qqno, qqid, qqnum, qquin, qqaccount, uin
//   - Passports: passport, passportno, passportnumber
//   - Travel permits: permitno, permitnumber, travelpermit
//   - Secrets: key, token, secret, credential, credentials, sk, auth, apikey, signature, private, salt, pat
//
// A value is looked for after at most 72 bytes (24 Chinese characters) in at most 12 parts:
//
//   - marks: blanks, colons, '=', '-', '#', '>', '→', '|', '~', '*', '`', '…', '·', quotes and opening brackets of all kinds. Before a
//     secret and a QQ number of at least 7 digits also commas, full stops, ';', '/', '_' and '?'
//   - remarks in round brackets with at most one digit and four letters: （新）, (work)
//   - words: 是, 为, 係, 就是, 叫, 号, 号码, 账号, 编号, 数字, 改成, 改为, 换成, 变成, 修改, 更新, 重置, 重设, 设为, 设置, 输入, 填, 填写, 搜, 加, 找, 联系, 发你, 发过来, 贴, 收到, 给, 记一下, 在这里, 如下, 现在, 目前, 已经, 应该, 可能, 大概, 临时, 先, 请, 要, 还, 我, 你, 的, 值, 多少, 新, 小, 大, is, are, was, to, no, nr, number, id, account, code, value, now,
//     still, changed, set, reset, updated, my, your, the and a few similar ones
//   - "for" or "of" and up to 28 bytes of English before "is" or a colon: token for staging:
//
// In a table of Markdown, the cells of the first line (up to 40 bytes) announce the values below them, and the cell of a name such as
// AppSecret the one after it. The value may be on the next line if the line ends with a colon, '=', 如下 or one of 密码, 验证码, 校验码, 取件码, 口令, 微信,
// 微信号, 卡号, 密钥, 私钥, 令牌, 扣扣, 企鹅, 护照, QQ, QQ号, token, key, secret, apikey, password and wechat. The keyword may have a number (密码2：, token1=).
//
// A WeChat ID, a QQ number, a password or a secret may also be before its keyword, with 是, 为 or "is my" between them (abc_123 是我微信号) or
// with the keyword in brackets, and a verification code as well (123456 是您的验证码, 凭3-8-4546取件码). More QQ numbers and secrets may follow in
// a list with commas, 、, '/', 和 or 或, and several pick-up codes (取件码3-6-0196、3-2-2103). A WeChat ID of letters only needs a colon, 是, is, 号, ID or a word such as 加 before it.
//
// A mobile number needs no keyword. Numbers without their format or with a wrong check digit need a word in the 36 to 60 bytes before them:
//
//   - ID cards: 身份证, 身分证, 证件号, 证件:, 证件：, 身份号, id card, idcard, id_card, id_no, chinese id
//   - Bank cards: 卡号, 银行卡, 储蓄卡, 信用卡, 借记卡, 工资卡, 银行账号, 银行账户, 收款账号, 收款账户, card no, card number, card:, bank card, bankcard, cardno, card_no, card_number
//   - Social credit codes: 信用代码, 税号, 纳税人, 执照, uscc, tax id, taxno, tax_no, taxid
//   - Landlines and 400 numbers without separators: 电话, 手机, 座机, 固话, 号码, 联系, 聯繫, 联络, 打给, 拨, 致电, 打来, 来电, 客服, 总机, 收件, 收货, 打这个, 支付宝, 热线, 传真, 办公室, 家里, 售后, 挂号, 预约, 订位, 订座, 咨询, 前台, 物业, 门店, 服务台,
//     tel, phone, mobile, call, fax, hotline, whatsapp, contact, my number, support
//
// # Keys of services
//
// Keys are found by prefix, followed by the usual number of characters:
//
//	1//0 AKIA ASIA AKID AKLT AIza AGE-SECRET-KEY-1 ATATT3 ATCTT3 AC CCIPAT_ CFPAT- EAACEdEose0cBA EAA GOCSPX- LTAI NRAK- PMAK- SG. SEC SK
//	app- bce-v3/ALTAK- cr_ csk- dop_v1_ doo_v1_ dckr_pat_ dapi dp.pt. dp.st. e2b_ figd_ fc- fw_ fastgpt- ghp_ gho_ ghu_ ghs_ ghr_
//	github_pat_ glpat- gldt- gsk_ glsa_ glc_ glptt- glrt- glcbt- glft- hf_ hooks.slack.com/services/ hvs. hvb. jina_ key- lin_api_ lsv2_
//	npm_ nvapi- ntn_ nfp_ open-apis/bot/v2/hook/ ops_ pypi-AgE pplx- pat_ pk_live_ pk_test_ phc_ phx_ pul- pscale_ rk_live_ rk_test_ r8_ re_
//	rpa_ rubygems_ sk- sk_live_ sk_test_ sk_ shpat_ shpca_ shppa_ shpss_ sq0csp- sq0atp- sbp_ sntrys_ sntryu_ sgp_ secret_ tvly- tp- tskey-
//	tgp_v1_ vercel_ whsec_ xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxe. xoxc- xoxd- xapp- xai- xkeysib- xsmtpsib- ya29.
//
// Tokens of Telegram and Discord bots and keys of Zhipu are found by their form. A WeChat ID with wxid_ needs no keyword.
//
// # Cookies
//
// The value of a header or field named Cookie, Set-Cookie or Cookies is found as a whole if it has pairs with '=', also in a call such as
// Set("Cookie", "…"). A cookie is found anywhere, with those after it, by one of these names (in this case only), and a random value of one
// as a field ("sessionid": "…"):
//
//	SESSDATA bili_jct DedeUserID__ckMd5 JSESSIONID jsessionid PHPSESSID ASP.NET_SessionId connect.sid pt_key p_skey skey pskey BDUSS BDUSS_BFESS
//	STOKEN MUSIC_U z_c0 sessionid session_id laravel_session wordpress_logged_in SUB passport_csrf_token sessionid_ss sid_tt wt2 sid
//
// # Addresses
//
// An address is found by a number with 号, 弄, 巷, 栋, 幢, 座, 舍, 组 or 室. The number has digits, letters and '-', or up to seven Chinese
// numerals. Directly before it is a name of at most six Chinese characters with one of these endings:
//
//   - before 号, 弄 and 巷: 路, 街, 大道, 道, 巷, 弄, 胡同, 里, 村, 段, 条, 支路
//   - before 栋, 幢, 舍, 号楼, 座楼: 小区, 花园, 家园, 公寓, 新村, 宿舍, 大厦, 广场, 中心, 苑, 府, 城, 湾, 里, 院, 园, 庭, 轩, 庄, 寓, 村, 邸, 墅, 坊, 郡, 居, 弄, 号, 路, 街, 区, 学, 厂
//   - before 组: 村, 社; before 座 and 室 also: 大厦, 广场, 中心, 公寓, 小区, 花园, 家园, 新村, 国际, 苑, 府, 湾, 庭, 轩, 邸, 墅, 郡. A number with 座 is then a letter, or
//     a room follows
//
// An estate may also be followed by a unit or a building with '#' (阳光花园3单元502, 8#502), by 号 and a room (曹杨新村5号302室) or by a
// number of two or three parts whose last has three or four digits (阳光花园5-2-301). Between its name and the number may be a zone or a
// phase (翠苑3区5幢, 阳光花园二期5栋), and a comma or a bracket if a room follows. Before the number may be 第, 甲, 乙, 丙 or 丁 (学院路甲33号).
//
// After the name of a city, a district or a town (成都市武侯区锦绣江南2栋1309室), and before a unit with a room (锦绣江南2栋1单元1309), the name of an estate
// needs no ending. A unit or a room has to follow.
//
// The finding includes the provinces, cities, districts and towns before it, and the buildings, units, floors and rooms after it
// (3幢2单元501室, 5-2-301).
//
// # IP addresses
//
// Public IP addresses are found. Private ones are found only with [Options.PrivateIPs]: 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16,
// 100.64.0.0/10, 169.254.0.0/16, fc00::/7 and fe80::/10. Loopback, unspecified and multicast addresses and well-known name servers (IPv4
// and IPv6) are never found. Version numbers are skipped. An address looks like a version if it starts with two numbers below ten, ends
// with 0, or follows the word "version". The address ranges for documentation count as public.
//
// # Never found
//
//   - numbers of QQ groups, parcels, orders and flights; short numbers such as 10086 and 110, also after QQ
//   - QQ numbers after "q=", and QQ numbers and secrets before their keyword without a word between them (38291746 我QQ)
//   - dates, amounts of money, and digits before a unit (5分钟, 6位)
//   - places without a number (杭州市西湖区, 南京路)
//   - WeChat IDs with a dot, which the service does not allow
//   - variables, placeholders and types as passwords or keys: ${DB_PASSWORD}, process.env.DB_PASS, <token>, ******, your-password, string
//   - hashes without a name for a secret: commits, digests, UUIDs, ETags
//   - public keys and certificates
//
// # Output
//
// Each finding is replaced by its kind in brackets. Overlapping findings are merged, with the kind of the longest. Placeholders are
// recognized and never changed, so redaction is idempotent. A valid UTF-8 text stays valid. A text without findings is returned unchanged.
//
// CQ codes of mentions, faces, pictures and similar items are not searched at all. Redact a text before you put it into one. Other CQ
// codes, such as cards and locations, are searched like text.
//
// # Time
//
// The time is linear in the length of the text for any input. Redact makes one pass and looks at a bounded number of bytes around words,
// numbers and some characters. It uses no regular expressions. A text with findings is searched again, because a masked value changes the
// context of the rest.
//
// # Concurrency
//
// A Redactor is immutable and may be used concurrently.
//
// # Caveats
//
// Redact finds formats and not meanings. It does not find names outside [Options].Words, a birthday in words, or a password of plain words.
// It reduces accidental leaks and does not stop deliberate evasion. For example, it does not find numbers in English words or in base64. It
// does not find numbers across two lines, or with commas or HTML tags between digits.
//
// Do not load data that must never leak. Readers without access to secret spaces do not search them in the first place.
//
// If in doubt, it masks numbers with 11 digits like a mobile number.
package redact
