// Words of consequence: what buys, sends, pays or deletes, in the languages that
// most pages are in. A word too many only keeps a node from a second click.

/** Words begin so. */
const stems = [
  // English
  'buy', 'bought', 'purchas', 'order', 'checkout', 'check ?out', 'payment', 'paypal', 'donat', 'subscri', 'unsubscri', 'send', 'submit', 'publish', 'delet', 'remov', 'eras(?:e|ing)', 'discard', 'confirm',
  'transfer', 'withdraw', 'booking', 'trash', 'wipe', 'revoke', 'add to (?:cart|basket|bag)', 'place ', 'e-?mail it',
  // German
  'kauf', 'einkauf', 'verkauf', 'bestell', 'bezahl', 'zahl(?:en|ung|e|t)', 'spende', 'send', 'absend', 'versend', 'abschick', 'schick', 'lösch', 'entfern', 'überweis', 'kündig', 'buchen', 'bestätig', 'abonnier',
  // French
  'achet', 'achat', 'command', 'pay(?:er|ez|e)', 'paie', 'régler', 'envo[iy]', 'supprim', 'effac', 'retirer', 'réserv', 'virement', 'confirm', 'valider', 'publi',
  // Spanish, Portuguese
  'compr(?:a|e|o)', 'pedido', 'pedir', 'pag(?:ar|a|o|ue|ue[mn]|amento)(?![\\p{L}])', 'envi[aeo]', 'borrar', 'borra', 'elimin', 'quitar', 'suprimir', 'reserv', 'encomend', 'apag(?:ar|a)', 'exclu', 'mandar',
  // Italian
  'acquist', 'ordina', 'pagh', 'invi[aoo]', 'cancell', 'rimuov', 'elimin', 'prenot', 'bonific', 'conferm',
  // Dutch
  'koop', 'kopen', 'bestel', 'betaal', 'betal', 'verstu', 'verzend', 'stuur', 'verwijder', 'wissen', 'boeken', 'overmaken', 'verkop',
  // Swedish, Danish, Norwegian, Finnish
  'köp', 'køb', 'kjøp', 'beställ', 'bestil', 'betal', 'skicka', 'radera', 'slett?(?:e|t)?(?![\\p{L}])', 'fjern', 'ta bort', 'boka', 'osta', 'tilaa', 'maksa', 'lähet', 'poista',
  // Polish, Czech, Hungarian, Romanian
  'kup(?:uj|ić|it|ił)?(?![\\p{L}])', 'zamów', 'zamawia', 'płać', 'płat', 'zapła', 'wyślij', 'wysła', 'wysył', 'usuń', 'usuw', 'skasuj', 'koupit', 'objednat', 'zaplatit', 'odeslat', 'smazat', 'odstranit', 'potwierd',
  'vásár', 'megrendel', 'fizet', 'küld', 'töröl', 'cumpăr', 'comand', 'plăt', 'trimit', 'șterg',
  // Turkish, Indonesian, Vietnamese
  'satın', 'sipariş', 'öde', 'gönder', 'sil(?![\\p{L}])', 'kaldır', 'onayla', 'beli(?![\\p{L}])', 'bayar', 'pesan(?![\\p{L}])', 'kirim', 'hapus', 'mua(?![\\p{L}])', 'thanh toán', 'đặt hàng', 'gửi', 'xóa',
  // Russian, Ukrainian, Greek
  'купи', 'покуп', 'заказ', 'оформ', 'оплат', 'плат[иёе]', 'отправ', 'удал', 'стере', 'замов', 'сплат', 'надісла', 'видал', 'подтверд', 'αγορ', 'παραγγελ', 'πληρω', 'αποστολ', 'διαγρα',
];
/** Whole words, which others begin with too. */
const whole = ['pay', 'pays', 'paid', 'post', 'book', 'bid', 'sell', 'drop', 'destroy', 'donate', 'order', 'cart', 'x'];
/** Words of scripts that do not part them, or where they grow at both ends. */
const inside = [
  '购买', '購買', '买', '買', '下单', '下單', '订购', '訂購', '订单', '支付', '付款', '发送', '發送', '提交', '删除', '刪除', '移除', '转账', '轉帳', '确认', '確認', '预订',
  '購入', '注文', '支払', '送信', '削除', '消去', '予約', '振込', '구매', '주문', '결제', '지불', '보내기', '전송', '삭제', '제거', '예약', '송금', '확인',
  'شراء', 'اشتر', 'دفع', 'طلب', 'إرسال', 'ارسال', 'أرسل', 'حذف', 'احذف', 'إزالة', 'تأكيد', 'קנה', 'קני', 'הזמן', 'שלם', 'תשלום', 'שלח', 'מחק', 'הסר', 'खरीद', 'भुगतान', 'भेज', 'हटा', 'ซื้อ', 'ชำระ', 'ส่ง', 'ลบ', '🗑', '🛒', '💳',
];
const consequence = new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])(?:${stems.join('|')}|(?:${whole.join('|')})(?![\\p{L}\\p{M}\\p{N}]))|${inside.join('|')}`, 'iu');

/**
 * Whether a text says that something is bought, sent, paid or deleted.
 * @param {string} text also as programs write names: deleteItem, delete-item
 */
export const hasConsequence = text => consequence.test(text.normalize('NFC').replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replace(/[_-]+/g, ' '));

// What pages tell about their users, to themselves or to others: no act's effect.
const tellers = /(^|\.)(google-analytics|googletagmanager|doubleclick|segment|mixpanel|amplitude|hotjar|fullstory|sentry|bugsnag|newrelic|nr-data|datadoghq|clarity|plausible|matomo|heapanalytics|logrocket|statsig|posthog|(\w+-)?(analytics|telemetry|metrics|beacons?|stats)([-\d][^.]*)?)\./i;
const tales = /(^|[/._-])(analytics|telemetry|beacons?|metrics?|rum|vitals|collect|pageviews?|tracking|track|impressions?|cdn-cgi)([/._-]|$)/i;

/** Whether a request only tells what somebody looks at. @param {string} address */
export function isTelemetry(address) {
  if (!URL.canParse(address)) return false;
  const { hostname, pathname } = new URL(address);
  return tellers.test(hostname) || tales.test(pathname);
}
