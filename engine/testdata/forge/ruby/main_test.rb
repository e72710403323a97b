require 'test/unit'
class TestAdd < Test::Unit::TestCase
  def test_add
    assert_equal(5, add(2, 3))
    assert_equal(8, add(4, 4))
  end
end
